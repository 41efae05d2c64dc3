import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeQueue

/// A server inside the test process that answers with a few bytes written in the test.
@Loop
package final class CannedServer {
    /// The action after the bytes of an answer.
    package enum Then { case keep, close }

    /// The head of each request, in the order of arrival.
    package private(set) var requests: [String] = []
    /// Completed when a client has closed its connection.
    package let clientLeft = OneShot<Void>()
    private var listener: Listener?
    private var streams: [ByteStream] = []
    private let answer: @Loop (_ target: String, ByteStream) -> Then

    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - answer: writes the answer to a request for `target` and returns the next action.
    package init(on host: String = "127.0.0.1", _ answer: @escaping @Loop (_ target: String, ByteStream) -> Then) throws {
        self.answer = answer
        listener = try Listener(SocketAddress("\(host):0")) { [unowned self] in serve($0) }
    }

    /// A server with one fixed answer for each path. Other paths are 404.
    package convenience init(_ answers: [String: String], then: Then = .keep, on host: String = "127.0.0.1") throws {
        try self.init(on: host) { target, stream in
            stream.write(Array((answers[target] ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone").utf8))
            return then
        }
    }

    package var base: String { listener.map { "http://\($0.address)" } ?? "" }
    package var port: String { base.split(separator: ":").last.map(String.init) ?? "" }

    private func serve(_ stream: ByteStream) {
        var received: [UInt8] = []
        streams.append(stream)
        stream.onEnd = { [weak self] _ in _ = self?.clientLeft.complete(.success(())) }
        stream.onBytes = { [weak self, unowned stream] bytes in
            received += bytes
            guard let self, received.suffix(4).elementsEqual([13, 10, 13, 10]) else { return }
            let head = String(decoding: received, as: UTF8.self)
            received = []
            requests.append(head)
            let words = head.split(separator: " ")
            let then = answer(words.count > 1 ? String(words[1]) : "", stream)
            if then == .close { stream.closeAfterFlush() }
        }
    }

    package func close() {
        listener?.close()
        for stream in streams { stream.close() }
    }
}
