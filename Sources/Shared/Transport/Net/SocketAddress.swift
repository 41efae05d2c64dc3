import CEvent
import Glibc
import TintypeCore

/// The address of a server or client: a host and port, or a socket file.
package enum SocketAddress: Sendable, Hashable, CustomStringConvertible {
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// A text that is no address.
    package struct ParseError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads `127.0.0.1:7411`, `[::1]:0`, `example.org:80` or `unix:/path/to.sock`.
    /// - Throws: `ParseError` with the missing part.
    package init(_ text: String) throws(ParseError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count < 108 else {
                throw ParseError(description: "the path of a socket must have 1 to 107 bytes: \(text)")
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ParseError(description: "expected HOST:PORT, such as 127.0.0.1:7411, not \(text)")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw ParseError(description: "an IPv6 address needs brackets, such as [::1]:7411, not \(text)")
        }
        guard !host.isEmpty else { throw ParseError(description: "the host is missing in \(text)") }
        self = .tcp(host: host, port: port)
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }

    /// Whether only processes of this machine reach the address.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _):
            if let address = IPAddress(host) { Self.loopback.contains { $0.contains(address) } } else { host.lowercased() == "localhost" }
        }
    }

    /// The address for system calls; nil when the host is a name that must be resolved first.
    func storage() -> SocketStorage? {
        switch self {
        case .unix(let path): SocketStorage(unix: path)
        case .tcp(let host, let port): SocketStorage(numeric: host, port)
        }
    }
}

/// A `sockaddr` of any family as a value.
struct SocketStorage: Sendable {
    private var storage = sockaddr_storage()
    private(set) var length: socklen_t

    init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        let count = Int(self.length)
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count)) }
    }

    init?(numeric host: String, _ port: UInt16) {
        guard let first = try? Self.resolve(host, port, AI_NUMERICHOST | AI_NUMERICSERV).first else { return nil }
        self = first
    }

    /// Resolves a name with the system's resolver. Blocks: call it only on a `BlockingPool`.
    static func resolve(_ host: String, _ port: UInt16, _ flags: Int32 = AI_ADDRCONFIG) throws(NetError) -> [SocketStorage] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw .resolve(host, String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var found: [SocketStorage] = []
        var item = list
        while let info = item {
            found.append(SocketStorage(info.pointee.ai_addr, info.pointee.ai_addrlen))
            item = info.pointee.ai_next
        }
        return found
    }

    init(unix path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        self = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketStorage($0, size) }
        }
    }

    func withPointer<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Returns the other side of an accepted or connected socket as text; nil when the system does not know it.
    static func text(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> SocketAddress? {
        guard let address else { return nil }
        if Int32(address.pointee.sa_family) == AF_UNIX { return .unix(path: "") }
        var host = [CChar](repeating: 0, count: 64)
        var service = [CChar](repeating: 0, count: 8)
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        guard getnameinfo(address, length, &host, 64, &service, 8, flags) == 0 else { return nil }
        func string(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
        return .tcp(host: string(host), port: UInt16(string(service)) ?? 0)
    }
}
