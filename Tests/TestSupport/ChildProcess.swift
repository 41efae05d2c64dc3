import Foundation

/// A real child process of a test: started by `posix_spawn`, its output collected by reader threads, killed when released.
///
/// Any thread may call it. Waiting for output suspends the caller; no code here polls with a sleep.
package final class ChildProcess: Sendable {
    package let identifier: Int32
    package let name: String
    private let watched = Watched(State())

    /// Locked from making the pipes until the spawn. A second child started in between would keep the first one's pipes open.
    private static let spawning = NSLock()

    private struct State: Sendable {
        var output = ""
        var errors = ""
        var exitStatus: Int32?
        var openPipes = 2
        /// Whether the process has ended, and every byte it wrote has been read.
        var isOver: Bool { exitStatus != nil && openPipes == 0 }
    }

    /// - Parameters:
    ///   - path: an absolute path, or a name to look up in PATH.
    ///   - environment: added to this process's own; its values take precedence.
    /// - Throws: `TestFailure` when the program cannot be started.
    package init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        name = URL(fileURLWithPath: path).lastPathComponent
        var outputPipe: [Int32] = [0, 0]
        var errorPipe: [Int32] = [0, 0]
        Self.spawning.lock()
        defer { Self.spawning.unlock() }
        guard pipe(&outputPipe) == 0, pipe(&errorPipe) == 0 else { throw TestFailure("pipe: errno \(errno)") }
        for descriptor in outputPipe + errorPipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputPipe[1], 1)
        posix_spawn_file_actions_adddup2(&actions, errorPipe[1], 2)
        var merged = ProcessInfo.processInfo.environment
        for (key, value) in environment { merged[key] = value }
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in argv { free(pointer) }
            for pointer in envp { free(pointer) }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The loop of the service under test ignores SIGPIPE by itself. A child must not inherit our mask.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A child must not inherit signals ignored by the caller of the tests either: under nohup that is SIGHUP, behind a shell's & SIGINT.
        var defaults = none
        for number in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var child: pid_t = 0
        let result = posix_spawnp(&child, path, &actions, &attributes, &argv, &envp)
        close(outputPipe[1])
        close(errorPipe[1])
        guard result == 0 else {
            close(outputPipe[0])
            close(errorPipe[0])
            throw TestFailure("cannot start \(path): \(String(cString: strerror(result)))")
        }
        let identifier = child
        self.identifier = identifier
        Self.read(outputPipe[0], into: watched) { state, text in state.output += text }
        Self.read(errorPipe[0], into: watched) { state, text in state.errors += text }
        Thread.detachNewThread { [watched] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
            let code = (status & 0x7f) == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
            watched.update { $0.exitStatus = code }
        }
    }

    /// The threads keep their buffer and not the child. A failing test releases the child, which ends it.
    private static func read(_ descriptor: Int32, into watched: Watched<State>, _ append: @escaping @Sendable (inout State, String) -> Void) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                watched.update { append(&$0, text) }
            }
            close(descriptor)
            watched.update { $0.openPipes -= 1 }
        }
    }

    /// The standard output of the process so far.
    package var output: String { watched.state.output }
    /// The standard error of the process so far.
    package var errors: String { watched.state.errors }
    /// The exit status, or minus the signal that ended the process; nil while it runs.
    package var exitStatus: Int32? { watched.state.exitStatus }

    /// Suspends until a line of standard output begins with `prefix`, and returns that line.
    /// - Throws: `TestFailure` with the collected errors when the process ends without the line.
    package func line(beginning prefix: String) async throws -> String {
        @Sendable func find(_ text: String) -> String? {
            text.split(separator: "\n", omittingEmptySubsequences: true).dropLast(text.hasSuffix("\n") ? 0 : 1)
                .first { $0.hasPrefix(prefix) }.map(String.init)
        }
        await watched.wait { find($0.output) != nil || $0.isOver }
        guard let line = find(output) else {
            throw TestFailure("\(name) ended (\(exitStatus ?? 0)) without the line \(prefix)…\n\(errors.suffix(4000))")
        }
        return line
    }

    /// Suspends until standard error contains `text`, or the process has ended.
    package func errorText(containing text: String) async -> Bool {
        await watched.wait { $0.errors.contains(text) || $0.isOver }
        return errors.contains(text)
    }

    /// Suspends until the process has ended, and returns its exit status, or minus its signal.
    @discardableResult
    package func exit() async -> Int32 {
        await watched.wait { $0.exitStatus != nil }
        return exitStatus ?? -1
    }

    /// Suspends until the process has ended and all its output has been read. Returns its exit status. A grandchild that keeps the pipes open delays
    /// this call, but not `exit`.
    package func finished() async -> Int32 {
        await watched.wait { $0.isOver }
        return exitStatus ?? -1
    }

    /// Sends a signal if the process still runs.
    package func signal(_ number: Int32) { if exitStatus == nil { kill(identifier, number) } }

    /// Returns the processes that a process has started, from any of its threads.
    static func children(of identifier: Int32) -> [Int32] {
        let tasks = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.flatMap { thread in
            ((try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }

    deinit { if exitStatus == nil { kill(identifier, SIGKILL) } }
}

/// The failure of a test's own machinery.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
