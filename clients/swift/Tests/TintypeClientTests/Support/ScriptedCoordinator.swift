import Glibc
import Synchronization

@testable import TintypeClient

/// A coordinator that says exactly what a test wants, at the moment that the test wants.
final class ScriptedCoordinator: Sendable {
    /// One connection of a client.
    final class Peer: Sendable {
        let number: Int
        private let descriptor: Int32
        private let isMute = Mutex(false)
        private let hasLeft = Mutex(false)

        init(_ number: Int, _ descriptor: Int32) {
            (self.number, self.descriptor) = (number, descriptor)
        }

        func answer(_ message: JSON, _ result: JSON) {
            send(["jsonrpc": "2.0", "id": message["id"] ?? .null, "result": result])
        }

        func fail(_ message: JSON, _ name: String, _ code: Int, _ more: JSONObject = [:]) {
            send(["jsonrpc": "2.0", "id": message["id"] ?? .null, "error": Self.error(name, code, more)])
        }

        static func error(_ name: String, _ code: Int, _ more: JSONObject = [:]) -> JSON {
            var data: JSONObject = ["name": .string(name), "phase": "admission", "retryable": true, "message": .string(name)]
            for (name, value) in more { data[name] = value }
            return ["code": .integer(code), "message": .string(name), "data": .object(data)]
        }

        func event(_ receipt: JSON?, _ seq: Int, _ type: String, _ more: JSONObject = [:]) {
            var params: JSONObject = ["receipt": receipt ?? .null, "seq": .integer(seq), "type": .string(type), "at": 0, "queue": "default"]
            for (name, value) in more { params[name] = value }
            send(["jsonrpc": "2.0", "method": "image.event", "params": .object(params)])
        }

        func send(_ message: JSON) {
            if isMute.withLock({ $0 }) { return }
            write("\(message)\n")
        }

        func write(_ text: String) {
            Listener.write(text.utf8, to: descriptor)
        }

        /// Says nothing any more.
        func mute() {
            isMute.withLock { $0 = true }
        }

        /// Whether the client has closed the connection.
        var isGone: Bool { hasLeft.withLock { $0 } }

        func leave() {
            hasLeft.withLock { $0 = true }
        }

        func cut() {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    typealias Script = @Sendable (Peer, JSON) -> Void

    /// The messages that have come. Apart from the coordinator, so that its threads do not keep it.
    private final class Record: Sendable {
        let messages = Mutex<[JSON]>([])
        let peers = Mutex<[Peer]>([])
    }

    private let record: Record
    private let listener: Listener

    /// Answers pings and authentication, unless it does not greet, and leaves the rest to the script.
    init(greets: Bool = true, _ script: @escaping Script) {
        let record = Record()
        self.record = record
        listener = Listener { descriptor in
            let peer = record.peers.withLock { peers in
                peers.append(Peer(peers.count + 1, descriptor))
                return peers[peers.count - 1]
            }
            var lines = Lines(most: 64 << 20)
            while true {
                let bytes = Listener.read(descriptor)
                if bytes.isEmpty { break }
                var messages: [JSON] = []
                _ = bytes.withUnsafeBufferPointer { lines.take($0) { line in if let json = try? JSON(parsing: line) { messages.append(json) } } }
                for message in messages {
                    record.messages.withLock { $0.append(message) }
                    let method = message["method"]?.stringValue ?? ""
                    if greets, method == "system.ping" || method == "session.authenticate" { peer.answer(message, "pong") } else { script(peer, message) }
                }
            }
            // The script may still write, so the socket stays.
            peer.leave()
        }
    }

    deinit {
        close()
    }

    func close() {
        listener.close()
        for peer in peers { peer.cut() }
    }

    var address: String { "tcp://127.0.0.1:\(listener.port)" }
    var messages: [JSON] { record.messages.withLock { $0 } }
    var peers: [Peer] { record.peers.withLock { $0 } }

    func asked(_ method: String) -> [JSON] {
        messages.filter { $0["method"]?.stringValue == method }
    }
}

/// A result as the service sends it.
let scriptedResult: JSON = [
    "receipt": "r", "from": "memory", "state": "succeeded", "source": ["url": "u", "finalURL": "u", "bytes": 1], "description": [:],
    "renditions": [["name": "default", "key": "k", "url": "/images/k", "contentType": "image/png", "bytes": 1, "width": 3]],
]
