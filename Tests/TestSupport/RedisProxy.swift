import Foundation
import Synchronization

/// A connection between services and their Redis that a test can cut without either side noticing, and whose commands a test can make fail.
///
/// Each connection has two threads that forward bytes, one for each direction.
package final class RedisProxy: Sendable {
    private struct Line {
        let service: Int32
        let redis: Int32
        /// The commands sent on the connection, by which tests identify it.
        var commands: Set<String> = []
        var isSilent = false
    }

    private struct State {
        var lines: [Int: Line] = [:]
        var next = 0
        var failing: (command: String, error: String)?
        var lost: (command: String, word: [UInt8])?
        var replaced: (word: [UInt8], other: [UInt8])?
        var isLate = false
    }

    private struct Command {
        let name: String
        let bytes: ArraySlice<UInt8>
    }

    private let folder: TemporaryFolder
    private let listener: Int32
    private let target: String
    private let state = Mutex(State())
    private let hasStopped = Atomic(false)

    /// Starts to forward to the Redis at a Unix socket.
    package init(to socketPath: String) throws {
        folder = try TemporaryFolder("proxy")
        target = socketPath
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackSocket.with(folder.path + "/redis.sock", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw TestFailure("proxy: errno \(errno)")
        }
        let descriptor = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let service = accept4(descriptor, __SOCKADDR_ARG(__sockaddr__: nil), nil, Int32(SOCK_CLOEXEC.rawValue))
                guard service >= 0, let self else { return }
                open(service)
            }
        }
        TestScope.atEnd { [self] in stop() }
    }

    /// The URL for `--redis`.
    package var url: String { "unix://\(folder.path)/redis.sock\(TestTimes.option)" }

    /// Silences the present connections that have sent a command such as `SUBSCRIBE`: no bytes pass from now on. New connections work.
    /// - Returns: the number of silenced connections.
    @discardableResult
    package func silence(having command: String) -> Int {
        state.withLock { state in
            let meant = state.lines.filter { $0.value.commands.contains(command) && !$0.value.isSilent }.keys
            for key in meant { state.lines[key]?.isSilent = true }
            return meant.count
        }
    }

    /// From now on Redis answers a command with an error and does not execute it; `nil` ends that.
    package func fail(_ command: String, with error: String?) {
        state.withLock { $0.failing = error.map { (command, $0) } }
    }

    /// Redis gets the next such command that contains a word, but its sender never gets the answer: no bytes pass on its connection any more.
    package func loseAnswer(to command: String, with word: String) {
        state.withLock { $0.lost = (command, Array(word.utf8)) }
    }

    /// From now on another word of the same length replaces a word in every command: the digest of another script.
    package func replace(_ word: String, with other: String) {
        precondition(word.utf8.count == other.utf8.count)
        state.withLock { $0.replaced = (Array(word.utf8), Array(other.utf8)) }
    }

    /// From now on commands pass one by one, and an answer arrives after messages that were published later. Redis guarantees no order between
    /// connections, and this reveals code that relies on one. It is not a wait for any event.
    package func delayAnswers() { state.withLock { $0.isLate = true } }

    private func open(_ service: Int32) {
        let redis = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackSocket.with(target, { connect(redis, $0, $1) }) == 0 else {
            close(redis)
            close(service)
            return
        }
        let key = state.withLock { state in
            state.next += 1
            state.lines[state.next] = Line(service: service, redis: redis)
            return state.next
        }
        let halves = Atomic(2)
        let ended: @Sendable () -> Void = { [self] in
            shutdown(service, Int32(SHUT_RDWR))
            shutdown(redis, Int32(SHUT_RDWR))
            guard halves.subtract(1, ordering: .relaxed).newValue == 0 else { return }
            state.withLock { $0.lines[key] = nil }
            close(service)
            close(redis)
        }
        Thread.detachNewThread { [self] in
            var pending: [UInt8] = []
            Self.pump(service) { bytes in
                pending += bytes
                let (commands, rest) = Self.commands(in: pending)
                pending = Array(rest)
                guard state.withLock({ $0.isLate }) else { return LoopbackSocket.send(commands.flatMap { self.wanted($0, key) }, to: redis) }
                return commands.allSatisfy {
                    usleep(1000)
                    return LoopbackSocket.send(self.wanted($0, key), to: redis)
                }
            }
            ended()
        }
        Thread.detachNewThread { [self] in
            Self.pump(redis) { bytes in
                let (isSilent, isLate) = state.withLock { state in
                    let line = state.lines[key]
                    return (line?.isSilent ?? true, state.isLate && line?.commands.contains("SUBSCRIBE") == false)
                }
                if isLate { usleep(5000) }
                return isSilent || LoopbackSocket.send(Array(bytes), to: service)
            }
            ended()
        }
    }

    private func wanted(_ command: Command, _ key: Int) -> [UInt8] {
        state.withLock { state in
            state.lines[key]?.commands.insert(command.name)
            guard state.lines[key]?.isSilent == false else { return [] }
            if let lost = state.lost, lost.command == command.name, command.bytes.contains(lost.word) {
                state.lines[key]?.isSilent = true
                state.lost = nil
                return Array(command.bytes)
            }
            guard let failing = state.failing, failing.command == command.name else {
                return state.replaced.map { Array(command.bytes.replacing($0.word, with: $0.other)) } ?? Array(command.bytes)
            }
            // Redis itself returns the error, so that answers stay in order.
            let words = ["EVAL", "return redis.error_reply(ARGV[1])", "0", failing.error]
            return Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
        }
    }

    /// Reads until the end, or until `take` returns false.
    private static func pump(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, take(buffer[..<count]) else { return }
        }
    }

    /// Returns the complete commands at the start of `bytes`, and the remaining bytes.
    private static func commands(in bytes: [UInt8]) -> (all: [Command], rest: ArraySlice<UInt8>) {
        var all: [Command] = []
        var rest = bytes[...]
        /// Reads the number of a line such as `*3` or `$12`.
        func number(_ from: inout ArraySlice<UInt8>) -> Int? {
            guard let end = from.firstIndex(of: 10) else { return nil }
            defer { from = from[(end + 1)...] }
            return Int(String(decoding: from[from.startIndex..<(end - 1)].dropFirst(), as: UTF8.self))
        }
        while true {
            var ahead = rest
            var name = ""
            guard let count = number(&ahead) else { return (all, rest) }
            for index in 0..<count {
                guard let length = number(&ahead), ahead.count >= length + 2 else { return (all, rest) }
                if index == 0 { name = String(decoding: ahead.prefix(length), as: UTF8.self).uppercased() }
                ahead = ahead.dropFirst(length + 2)
            }
            all.append(Command(name: name, bytes: rest[..<ahead.startIndex]))
            rest = ahead
        }
    }

    /// Ends all connections.
    package func stop() {
        guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for line in state.withLock({ Array($0.lines.values) }) { shutdown(line.service, Int32(SHUT_RDWR)) }
    }
}
