import TintypeCore
import TestSupport

@testable import TintypeTransport

/// A wire without a socket. The test hands in bytes piece by piece, and decides how many the wire takes at each write.
@Loop
final class ScriptedWire: Wire {
    var onReadable: (@Loop () -> Void)?
    var onWritable: (@Loop () -> Void)?
    let descriptor: Int32 = -1
    let certificate: CertificateNames? = nil
    let pending = 0
    private(set) var interest: DescriptorWatch.Interest = []
    private(set) var written: [UInt8] = []
    private(set) var hasEndedSending = false
    private(set) var isClosed = false
    /// The number of bytes that each write takes, in turn; 0 means that the kernel has no room.
    private var grants: [Int]
    private var granted = 0
    private var input: [UInt8] = []
    private var hasEnded = false

    init(grants: [Int] = [.max]) { self.grants = grants }

    /// Lets bytes arrive. They are read if the connection reads.
    func receive(_ bytes: some Sequence<UInt8>) {
        input += bytes
        while !input.isEmpty, interest.contains(.read), !isClosed { onReadable?() }
    }

    func end() {
        hasEnded = true
        if interest.contains(.read) { onReadable?() }
    }

    /// Makes the wire writable until nothing waits.
    func drain() {
        while interest.contains(.write), !isClosed { onWritable?() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> WireRead {
        guard !input.isEmpty else { return hasEnded ? .end : .nothing }
        let count = min(buffer.count, input.count)
        buffer.copyBytes(from: input[..<count])
        input.removeFirst(count)
        return .bytes(count)
    }

    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer) -> Int? {
        let all = Array(first) + Array(second) + Array(third)
        let taken = all.prefix(grants[granted % grants.count])
        granted += 1
        written += taken
        return taken.count
    }

    func wants(_ interest: DescriptorWatch.Interest) { self.interest = interest }
    func endSending() { hasEndedSending = true }
    func close() {
        isClosed = true
        (onReadable, onWritable) = (nil, nil)
    }

    var text: String { String(decoding: written, as: UTF8.self) }

    /// Serves this wire with a handler.
    func serve(maxBody: Int = 1000, _ handler: @escaping @Loop (HTTPExchange) -> Void) throws -> HTTPService {
        let service = HTTPService(maxBody: maxBody, bodyLimiter: UnboundedBodyLimiter(), pace: .usual, unsent: AnswerBudget(), handler)
        guard let permit = ConnectionLimiter().admit(ConnectionPeer(address: "")) else { throw TestFailure("no place") }
        service.open(self, from: nil, permit)
        return service
    }

    /// Returns everything that a connection answers to bytes that arrive in pieces of `size`.
    static func answers(to bytes: [UInt8], by size: Int) throws -> String {
        let wire = ScriptedWire()
        let service = try wire.serve { exchange in
            let text = "<\(exchange.method) \(exchange.path) \(exchange.query.count) \(exchange.list("x") ?? "-")>"
            exchange.respond(200, headers: [("Date", "now")], body: Array(text.utf8) + exchange.body)
        }
        for start in stride(from: 0, to: bytes.count, by: size) { wire.receive(bytes[start..<min(start + size, bytes.count)]) }
        wire.end()
        guard wire.isClosed, service.busy == 0 else { throw TestFailure("a connection that never ends") }
        // A client that sends its body without waiting is not told to continue.
        return wire.text.split(separator: "HTTP/1.1 100 Continue\r\n\r\n").joined()
    }
}
