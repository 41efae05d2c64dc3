import CLinux
import Glibc

package enum ChildEnd: Sendable, Hashable, CustomStringConvertible {
    case status(Int32)
    case signal(Int32)

    package var description: String {
        switch self {
        case .status(let code): "exit status \(code)"
        case .signal(let number): "signal \(number) (\(String(cString: strsignal(number))))"
        }
    }
}

/// A program started as a child of this process, which it does not outlive. Lives on the loop.
///
/// Standard error is shared with the parent: each log line is one write, so lines do not mix. Standard output arrives line by line. Standard input is empty.
@Loop
package final class SpawnedProcess {
    /// The program cannot be started. The text is the reason.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let identifier: Int32
    /// nil while the program runs.
    package private(set) var end: ChildEnd?

    private let ended = OneShot<ChildEnd>()
    private let onLine: @Loop (String) -> Void
    private var output: Int32
    private var pending: [UInt8] = []
    private var reading: DescriptorWatch?
    private var dying: SignalWatch?

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: the whole environment.
    ///   - deathSignal: the signal that the kernel sends to the child if this process ends without having stopped it.
    ///   - onLine: gets each line of standard output, without its end.
    /// - Throws: `Failure` when the program is missing or the system has no room for it.
    package init(
        path: String, arguments: [String], environment: [String: String], deathSignal: Int32 = SIGKILL,
        onLine: @escaping @Loop (String) -> Void
    ) throws(Failure) {
        guard access(path, X_OK) == 0 else { throw Failure(description: "cannot run \(path): \(String(cString: strerror(errno)))") }
        var pipes: [Int32] = [-1, -1]
        guard pipe2(&pipes, O_CLOEXEC) == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        defer { close(pipes[1]) }
        identifier = Self.spawn(path, arguments, environment, pipes[1], deathSignal)
        guard identifier > 0 else {
            let reason = String(cString: strerror(errno))
            close(pipes[0])
            throw Failure(description: "cannot start \(path): \(reason)")
        }
        output = pipes[0]
        self.onLine = onLine
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        reading = DescriptorWatch(output, .read) { [weak self] _ in self?.readable() }
        dying = SignalWatch(SIGCHLD) { [weak self] in self?.collect() }
        collect()
    }

    private static func spawn(_ path: String, _ arguments: [String], _ environment: [String: String], _ output: Int32, _ deathSignal: Int32)
        -> Int32
    {
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in words { free(pointer) }
            for pointer in variables { free(pointer) }
        }
        return tintype_spawn(path, &words, &variables, output, deathSignal)
    }

    /// Sends a signal. Nothing happens once the program has ended.
    package func send(_ signal: Int32) {
        if end == nil { kill(identifier, signal) }
    }

    /// Waits for the end.
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    package func wait() async throws -> ChildEnd {
        try await ended.wait()
    }

    /// Sends `signal` and waits for the end. After `grace` the program is killed.
    package func stop(_ signal: Int32 = SIGTERM, grace: Duration) async {
        send(signal)
        let timer = LoopTimer(after: grace) { [weak self] in self?.send(SIGKILL) }
        _ = try? await ended.wait()
        timer.cancel()
    }

    private func collect() {
        guard end == nil else { return }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return }
        readable()
        let result: ChildEnd = status & 0x7f == 0 ? .status((status >> 8) & 0xff) : .signal(status & 0x7f)
        end = result
        dying = nil
        stopReading()
        ended.complete(.success(result))
    }

    private func readable() {
        guard output >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            guard count > 0 else { return stopReading() }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 10) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                onLine(line)
            }
            if pending.count > 65536 { pending = [] }
        }
    }

    private func stopReading() {
        guard output >= 0 else { return }
        reading = nil
        close(output)
        output = -1
    }

    isolated deinit {
        send(SIGKILL)
        stopReading()
    }
}
