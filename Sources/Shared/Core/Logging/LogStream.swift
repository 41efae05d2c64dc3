import Glibc
import Synchronization

/// Writes log lines whole and in order, without delaying the writer for long.
///
/// The reader of a pipe may stop: a log shipper that hangs, a stopped terminal. A `write(2)` into the full pipe would then stop the event loop, so the
/// stream asks for room first. A line without room after `patience` is dropped and counted; the next written line has the number in `lost`. A slow reader
/// costs `patience` once in `pause`, not once a line. `O_NONBLOCK` is no alternative: it belongs to the open file, which other processes share. Only a
/// terminal is opened again, so that its file is ours alone: for a terminal, `poll` reports some room, not enough room.
///
/// All copies of a `Logger` share the stream, on any thread. Between question and write, another process may fill the pipe; the
/// line then waits as in any `write(2)`. Lines of up to 4,096 bytes (`PIPE_BUF`) are never torn.
final class LogStream: Sendable {
    /// The longest wait for room in a full pipe, in ms, for the first line that finds none.
    static let patience: Int32 = 100
    /// The time after which the stream waits again.
    static let pause = Duration.seconds(10)

    private struct State {
        /// Lines dropped since the last written one.
        var lost = 0
        /// Whether the last line was cut in the middle.
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

    /// Returns the number of bytes written: all, unless there is no room, no reader, or the disk is full.
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

    /// Whether `PIPE_BUF` bytes can be written at once. Always true for files and for a pipe without a reader.
    private func hasRoom(within patience: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&wanted, 1, patience)
            if ready >= 0 || errno != EINTR { return ready != 0 }
        }
    }
}
