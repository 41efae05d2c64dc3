import Foundation
import Glibc
import TestSupport
import Testing

/// Servers keep passwords and keys in memory. No other process may see them.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct PrivateMemoryTests {
    /// Starts a process of a user who is not root. For such a user, the kernel shows by the owner of its files whether others of the user may read its
    /// memory.
    private func start(_ program: String, _ arguments: [String], home: String) throws -> ChildProcess {
        let command = getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", program] : [program]
        return try ChildProcess("/usr/bin/env", command + arguments, environment: ["HOME": home])
    }

    private func owner(of process: Int32) -> UInt32? {
        var facts = stat()
        return stat("/proc/\(process)/environ", &facts) == 0 ? facts.st_uid : nil
    }

    private func children(of process: Int32) -> [Int32] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            ((try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }

    private func leavesNoCore(_ process: Int32) -> Bool {
        let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }?.split(separator: " ").dropFirst(4).prefix(2)
        return line.map(Array.init) == ["0", "0"]
    }

    private func isPrivate(_ process: Int32) -> Bool { owner(of: process) == 0 && leavesNoCore(process) }

    @Test func `no server leaves a core file, and no process of its user can read its memory`() async throws {
        let folder = try TemporaryFolder("private")
        chmod(folder.path, 0o777)
        let plain = try start("/bin/sleep", ["600"], home: folder.path)
        try await Gate.until("a plain program is open") { owner(of: plain.identifier) == (getuid() == 0 ? 65534 : getuid()) }
        let nowhere = ["--redis", "redis://127.0.0.1:1", "--http", "127.0.0.1:0"]
        let worker = try start(ServiceProcess.path("tintype-worker"), nowhere + ["--results", "file://\(folder.path)/w", "--pixels", "1"], home: folder.path)
        let coordinator = try start(
            ServiceProcess.path("tintype-coordinator"), nowhere + ["--listen", "127.0.0.1:0", "--results", "file://\(folder.path)/c"], home: folder.path)
        let up = try start(
            ServiceProcess.path("tintype"),
            ["up", "--data", "\(folder.path)/up", "--workers", "1", "--pixels", "1", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
            home: folder.path)
        for process in [worker, coordinator, up] {
            try await Gate.until("\(process.name) is private: \(process.errors.suffix(300))") { isPrivate(process.identifier) }
        }
        // The pixel process, which has the pictures of all clients, and the processes that `up` has started.
        try await Gate.until("a pixel process is private") { children(of: worker.identifier).contains(where: isPrivate) }
        try await Gate.until("both servers of up are private") { children(of: up.identifier).count(where: isPrivate) >= 2 }
        #expect(children(of: up.identifier).allSatisfy(leavesNoCore))
        for process in [up, worker, coordinator, plain] { kill(process.identifier, SIGTERM) }
        for process in [up, worker, coordinator] { _ = await process.finished() }
    }
}
