import Glibc
import Synchronization

@testable import TintypeClient

/// A network between a client and a coordinator, which can be cut, or swallow what the coordinator sends.
final class Relay: Sendable {
    private final class Line: Sendable {
        let ends = Mutex<[Int32]>([])
        let swallows = Mutex(false)
        let sent = Mutex<[UInt8]>([])
        let accepted = Mutex(0)
    }

    private let line: Line
    private let listener: Listener

    /// - Parameter place: HOST:PORT of the loopback.
    init(_ place: String) {
        let line = Line()
        let port = Int(place.split(separator: ":").last!)!
        self.line = line
        listener = Listener { near in
            line.accepted.withLock { $0 += 1 }
            let far = Listener.connect(port)
            if far < 0 {
                close(near)
                return
            }
            line.ends.withLock { $0 += [near, far] }
            Listener.thread {
                while true {
                    let bytes = Listener.read(far)
                    if bytes.isEmpty { break }
                    if !line.swallows.withLock({ $0 }) { Listener.write(bytes, to: near) }
                }
                shutdown(near, Int32(SHUT_RDWR))
            }
            while true {
                let bytes = Listener.read(near)
                if bytes.isEmpty { break }
                line.sent.withLock { $0 += bytes }
                Listener.write(bytes, to: far)
            }
            shutdown(far, Int32(SHUT_RDWR))
        }
    }

    deinit {
        listener.close()
        cut()
    }

    var place: String { "127.0.0.1:\(listener.port)" }
    /// How many connections came.
    var accepted: Int { line.accepted.withLock { $0 } }

    /// Whether what the coordinator sends is lost.
    var swallows: Bool {
        get { line.swallows.withLock { $0 } }
        set { line.swallows.withLock { $0 = newValue } }
    }

    /// Breaks all connections. New ones are let through.
    func cut() {
        line.ends.withLock { ends in
            for end in ends { shutdown(end, Int32(SHUT_RDWR)) }
            ends = []
        }
    }

    /// The messages of clients with a method.
    func methods(_ name: String) -> [JSON] {
        line.sent.withLock { $0 }.split(separator: 0x0A).compactMap { try? JSON(parsing: Array($0)) }.filter { $0["method"]?.stringValue == name }
    }
}
