import Glibc
import TintypeCore
import TintypeTransport

/// The worker's end of the pipe that a pixel process prints to. Lives on the loop.
@Loop final class ChildStream {
    private let descriptor: Int32
    private let process: Int32
    private let logger: Logger
    private var words = ChildOutput()
    private var watch: DescriptorWatch?

    /// The most bytes of one read, so that one process with much output does not delay the others.
    private static let portion = 4096

    /// - Parameters:
    ///   - descriptor: the end to read from, non-blocking; closed by `close`.
    ///   - onEndless: called if the process prints more than it may.
    init(_ descriptor: Int32, of process: Int32, logger: Logger, onEndless: @escaping @Loop () -> Void) {
        (self.descriptor, self.process, self.logger) = (descriptor, process, logger)
        watch = DescriptorWatch(descriptor, .read) { [weak self] _ in
            guard let self else { return }
            read()
            guard words.isEndless else { return }
            // Nobody reads any more: the pipe fills up, and the writer waits until it is killed.
            watch?.cancel()
            watch = nil
            onEndless()
        }
    }

    /// Marks the start of a picture. Earlier output does not count against the picture.
    func begin() { words.begin() }

    /// Reads the remaining output and closes the pipe.
    func close() {
        for _ in 0..<16 where watch != nil && read() {}
        watch?.cancel()
        watch = nil
        if let last = words.finish() { log(last) }
        if words.omitted > 0 { logger.warning("a pixel process printed more lines than are logged", ["process": process, "linesLeftOut": words.omitted]) }
        Glibc.close(descriptor)
    }

    /// - Returns: whether there was any output.
    @discardableResult private func read() -> Bool {
        let lines = withUnsafeTemporaryAllocation(byteCount: Self.portion, alignment: 1) { room -> [String]? in
            let count = Glibc.read(descriptor, room.baseAddress, room.count)
            if count == 0 {
                watch?.cancel()
                watch = nil
            }
            return count > 0 ? words.take(UnsafeRawBufferPointer(rebasing: room[..<count])) : nil
        }
        for line in lines ?? [] { log(line) }
        return lines != nil
    }

    private func log(_ line: String) { logger.warning("pixel process output", ["process": process, "line": line]) }
}
