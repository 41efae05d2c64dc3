import TintypeCore
package import TintypeTransport

/// A server that reads a body slowly, and answers once it has read all of it. Lives on the loop.
@Loop package final class SlowReader {
    private let listener: Listener
    private let readings: Readings

    /// The state that the connections share. The listener's closure must not keep the server itself alive.
    @Loop private final class Readings {
        var streams: [ByteStream] = []
        var timers: [LoopTimer] = []
        /// Bytes read from all connections.
        var taken = 0
    }

    /// - Parameters:
    ///   - size: bytes of the body; its head is read in addition.
    ///   - room: bytes read in each interval. The system decides how many wait in between.
    package init(body size: Int, room most: Int, every interval: Duration) throws {
        let readings = Readings()
        self.readings = readings
        listener = try Listener(SocketAddress("127.0.0.1:0")) { stream in
            readings.streams.append(stream)
            var room = most
            readings.timers.append(
                LoopTimer(after: interval, repeating: true) { [weak stream] in
                    room = most
                    stream?.resumeReading()
                })
            stream.onBytes = { [unowned stream] bytes in
                readings.taken += bytes.count
                room -= bytes.count
                if readings.taken > size {
                    stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
                } else if room <= 0 {
                    stream.pauseReading()
                }
            }
        }
    }

    package var url: String { "http://\(listener.address)/" }
    package var taken: Int { readings.taken }

    package func close() {
        for timer in readings.timers { timer.cancel() }
        for stream in readings.streams { stream.close() }
        listener.close()
    }
}
