import Foundation
import TintypeCore
import TestSupport
import Testing

/// Files made to break decoders, through the whole service.
@Suite(.tags(.optimized), .timeLimit(.minutes(15)), .serialized, .scoped) struct HostileCorpusTests {
    /// nil if there is none: the files are not part of the project.
    private static let corpus: String? = {
        guard let path = ProcessInfo.processInfo.environment["TINTYPE_CORPUS"], !path.isEmpty, FileManager.default.fileExists(atPath: path) else { return nil }
        return path
    }()

    @Test(.tags(.timed), .enabled(if: corpus != nil, "TINTYPE_CORPUS names no folder of hostile files"))
    func `every hostile file ends in success or a typed error, and the next picture works`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.corpus) + "/hostile")
        let files = (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?.allObjects as? [URL] ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .sorted { $0.path < $1.path }
        #expect(files.count > 100)
        let deployment = try await Deployment()
        let files2 = try await ServiceProcess.origin(["--root", folder.path])
        let client = try deployment.client()
        let clock = ContinuousClock()
        var outcomes: [String: Int] = [:]
        var peak = 0
        var slowest = Duration.zero
        for (number, file) in files.enumerated() {
            let path = String(file.path.dropFirst(folder.path.count))
            let encoded = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
            let start = clock.now
            let answer = try await client.call(
                "image.load",
                #"{"url":"\#(files2.base)\#(encoded)","transform":[{"op":"resize","width":200,"height":200}],"output":{"format":"png"},"deadline":30}"#)
            let took = clock.now - start
            slowest = max(slowest, took)
            let outcome = answer.error?.name ?? (answer.state ?? "nothing")
            outcomes[outcome, default: 0] += 1
            #expect(outcome == "succeeded" || (answer.error?.code ?? 0) > 1000, "\(path): \(answer)")
            let next = try await client.call(
                "image.load", #"{"url":"\#(deployment.url("/picture.png?n=\(number)"))","transform":[{"op":"resize","width":20}]}"#)
            #expect(next.state == "succeeded", "after \(path): \(next)")
            // One picture at a time: its cost shows in the worker itself and in the child that decoded it.
            let worker = deployment.workers[0]
            let used = peakMemory(of: worker.process.identifier) + (worker.children.map(peakMemory).max() ?? 0)
            #expect(used < 512 << 20, "\(path): the worker and a child reached \(used >> 20) MiB")
            peak = max(peak, used)
        }
        print("hostile files: \(outcomes), the slowest took \(slowest), worker peak \(peak >> 20) MiB")
        #expect(try await deployment.violations(client) == [])
    }

    /// Returns VmHWM of a process, in bytes.
    private func peakMemory(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
    }
}
