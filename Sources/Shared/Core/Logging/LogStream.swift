import Glibc
import Synchronization

/// Where lines of log go, whole and in order, without ever holding up who writes them for long.
///
/// The reader of a pipe may stand still (a log shipper that hangs, a stopped terminal), and a `write(2)` into a full one
/// would stop the event loop with it. So room is asked for first; a line that finds none after `patience` is dropped and counted, and the
/// first that gets through says in `lost` how many did not. A reader that is only slow costs `patience` once in `pause`, not once a line.
/// `O_NONBLOCK` instead is no way: it belongs to the open file, which is shared with other processes. Only a terminal is opened anew, so that
/// it is ours alone: there `poll` tells of some room, not of enough.
///
/// Shared by all copies of a `Logger`; any thread. Between asking and writing another process may fill the same pipe: then the
/// line waits like any `write(2)`. Lines of up to 4,096 bytes (`PIPE_BUF`) are never torn.
final class LogStream: Sendable {
    /// How long a full pipe is waited for, ms: for the first line that finds it so.
    static let patience: Int32 = 100
    /// How long it is not waited for again.
    static let pause = Duration.seconds(10)

    private struct State {
        /// Lines dropped since the last that got through.
        var lost = 0
        /// The last line was cut off within.
        var isTorn = false
        var waitedAt: ContinuousClock.Instant?
    }

    private let descriptor: Int32
    private let isOwn: Bool
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        let own = isatty(descriptor) == 1 ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
        self.descriptor = own >= 0 ? own : descriptor
        isOwn = own >= 0
    }

    deinit { if isOwn { close(descriptor) } }

    /// Writes a line, or drops it.
    func write(_ line: LogLine) {
        state.withLock { state in
            var line = line
            if state.lost > 0 { line.add("lost", String(state.lost)) }
            var bytes = line.finished()
            if state.isTorn { bytes.insert(UInt8(ascii: "\n"), at: 0) }
            let sent = put(bytes, &state)
            state.lost = sent == bytes.count ? 0 : state.lost + 1
            if sent > 0 { state.isTorn = sent < bytes.count }
        }
    }

    /// How many bytes were taken: all, unless there is no room, nobody who reads, or the disk is full.
    private func put(_ bytes: [UInt8], _ state: inout State) -> Int {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count, hasRoom(within: 0) || hasRoom(patiently: &state) {
                let count = Glibc.write(descriptor, buffer.baseAddress! + sent, min(buffer.count - sent, Int(PIPE_BUF)))
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { break }
                sent += count
            }
            return sent
        }
    }

    private func hasRoom(patiently state: inout State) -> Bool {
        let now = ContinuousClock.now
        guard state.waitedAt.map({ now - $0 >= Self.pause }) ?? true else { return false }
        state.waitedAt = now
        return hasRoom(within: Self.patience)
    }

    /// Whether `PIPE_BUF` bytes can be written at once. Of files and of a pipe nobody reads that is always so.
    private func hasRoom(within patience: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&wanted, 1, patience)
            if ready >= 0 || errno != EINTR { return ready != 0 }
        }
    }
}
