import Glibc
package import TintypeCore
package import TintypeTransport

/// The worker's program beside this one. It has the codecs, and the readers of the files that only workers read. Lives on the loop.
@Loop
package enum WorkerProgram {
    /// The end of a question.
    package enum Answer: Sendable {
        case found(JSON)
        /// There is no such program beside this one.
        case missing(String)
        case failed(String)
    }

    /// Asks by a role of the program (`WorkerRole`), which answers by one line of JSON.
    package static func ask(_ role: String, _ arguments: [String]) async -> Answer {
        guard access(path, X_OK) == 0 else { return .missing(path) }
        var lines: [String] = []
        do {
            let end = try await run(role, arguments) { lines.append($0) }
            guard let answer = lines.last.flatMap({ try? JSON(parsing: Array($0.utf8)) }) else { return .failed(end.description) }
            return .found(answer)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Runs a role of the program to its end.
    /// - Parameter onLine: gets each line of its standard output.
    /// - Throws: `SpawnedProcess.Failure`, if there is no such program.
    static func run(_ role: String, _ arguments: [String], onLine: @escaping @Loop (String) -> Void) async throws -> ChildEnd {
        try await SpawnedProcess(path: path, arguments: ["--role", role] + arguments, environment: ProcessEnvironment.all(), onLine: onLine).wait()
    }

    private static var path: String { folder + "/tintype-worker" }

    /// The folder of this program, which also holds the servers.
    package static var folder: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
