import Glibc
import TintypeCore
import TintypeTransport

/// The worker's program beside this one. It has the codecs, and the readers of the files that only workers read. Lives on the loop.
@Loop
enum WorkerProgram {
    /// The end of a question.
    enum Answer: Sendable {
        case found(JSON)
        /// There is no such program beside this one.
        case missing(String)
        case failed(String)
    }

    /// Asks by a role of the program (`WorkerRole`), which answers by one line of JSON.
    static func ask(_ role: String, _ arguments: [String]) async -> Answer {
        let path = UpDeployment.folderOfThisProgram() + "/tintype-worker"
        guard access(path, X_OK) == 0 else { return .missing(path) }
        var lines: [String] = []
        do {
            let process = try SpawnedProcess(path: path, arguments: ["--role", role] + arguments, environment: ProcessEnvironment.all()) { lines.append($0) }
            let end = try await process.wait()
            guard let answer = lines.last.flatMap({ try? JSON(parsing: Array($0.utf8)) }) else { return .failed(end.description) }
            return .found(answer)
        } catch {
            return .failed("\(error)")
        }
    }
}
