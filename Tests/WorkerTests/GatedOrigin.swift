import TintypeCore
import TintypeTransport

/// An origin of one answer, which it keeps back until the test opens it: a gate in place of a sleep.
@Loop final class GatedOrigin {
    /// Completes when the first request has arrived.
    let asked = OneShot<Void>()
    private(set) var requests = 0
    private var listener: Listener?
    private var streams: [ByteStream] = []
    private var isOpen = false

    private let text: String

    /// - Parameter text: the answer.
    init(_ text: String = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes") throws {
        self.text = text
        listener = try Listener(SocketAddress("127.0.0.1:0")) { [unowned self] stream in
            streams.append(stream)
            stream.onBytes = { [unowned self] _ in
                requests += 1
                asked.complete(.success(()))
                if isOpen { answer(stream) }
            }
        }
    }

    var url: String { listener.map { "http://\($0.address)/source" } ?? "" }

    /// Answers the waiting requests, and later ones at once.
    func open() {
        isOpen = true
        for stream in streams { answer(stream) }
    }

    private func answer(_ stream: ByteStream) { stream.write(Array(text.utf8)) }

    func close() {
        listener?.close()
        for stream in streams { stream.close() }
    }
}
