import TintypeCore
import TintypeTransport

/// A connection to a coordinator that counts answers and events with as little parsing as possible.
@Loop
final class LoadConnection {
    /// Called for each answer, with its id and its text.
    var onAnswer: (@Loop (Int, [UInt8]) -> Void)?
    /// Called for each notification, with its text.
    var onNotification: (@Loop ([UInt8]) -> Void)?
    /// Called when the connection has ended. Without it, the end is printed to standard error.
    var onEnd: (@Loop () -> Void)?
    private let stream: ByteStream
    private var splitter = MessageSplitter(maxMessageBytes: 64 << 20)

    static func connect(_ address: SocketAddress) async throws -> LoadConnection {
        LoadConnection(try await ByteStream.connect(address, timeout: .seconds(10)))
    }

    private init(_ stream: ByteStream) {
        self.stream = stream
        stream.onBytes = { [weak self] bytes in self?.received(bytes) }
        stream.onEnd = { [weak self] end in
            guard let onEnd = self?.onEnd else { return StandardStream.printError("loadgen: the connection ended: \(end)") }
            onEnd()
        }
    }

    func send(_ id: Int, _ method: String, _ params: [UInt8]) {
        var writer = JSONWriter(capacity: params.count + 80)
        writer.raw(#"{"jsonrpc":"2.0","id":"#)
        writer.int(id)
        writer.raw(#","method":""#)
        writer.raw(json: method)
        writer.raw(#"","params":"#)
        writer.raw(params)
        writer.raw("}\n")
        stream.write(writer.bytes)
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        var messages: [[UInt8]] = []
        splitter.append(bytes) { piece in if case .message(let message) = piece { messages.append(message) } }
        for message in messages {
            if let id = Self.id(message) { onAnswer?(id, message) } else { onNotification?(message) }
        }
    }

    /// Returns the id of an answer. The ids of this program are numbers, and the service writes them after `{"jsonrpc":"2.0","id":`.
    private static func id(_ message: [UInt8]) -> Int? {
        var position = 22
        guard message.count > position, message[18] == UInt8(ascii: "i") else { return nil }
        while position < message.count, !(0x30...0x39).contains(message[position]) { position += 1 }
        var value = 0
        while position < message.count, (0x30...0x39).contains(message[position]) {
            value = value * 10 + Int(message[position] - 0x30)
            position += 1
        }
        return value
    }

    func close() { stream.close() }

    var isClosed: Bool { stream.isClosed }
}
