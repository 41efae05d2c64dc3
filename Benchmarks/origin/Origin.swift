import Glibc
import TintypeTransport

/// The server itself: accepts connections, keeps the ledger, and remembers generated pictures.
@Loop
final class Origin {
    private var listener: Listener?
    private var connections: [ObjectIdentifier: OriginConnection] = [:]
    private var pictures: [String: [UInt8]] = [:]
    private var statusesLeft: [String: Int] = [:]
    private var picturesLeft: [String: Int] = [:]
    let root: String?
    var ledger = Ledger()
    private var held: [(count: Int, go: @Loop () -> Void)] = []
    /// The requests that wait at a gate, the oldest first.
    private var atGates: [(gate: String, go: @Loop () -> Bool)] = []

    init(_ address: SocketAddress, root: String?) throws {
        self.root = root
        listener = try Listener(address) { [unowned self] stream in
            let connection = OriginConnection(stream, self)
            connections[ObjectIdentifier(connection)] = connection
        }
    }

    var address: String { listener.map { "\($0.address)" } ?? "" }

    func close() {
        listener?.close()
        for connection in connections.values { connection.close() }
    }

    func ended(_ connection: OriginConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Returns the generated picture, made once for each size.
    func picture(_ width: Int, _ height: Int) -> [UInt8] {
        if let known = pictures["\(width)x\(height)"] { return known }
        let made = Picture.png(width: width, height: height)
        pictures["\(width)x\(height)"] = made
        return made
    }

    /// Returns the picture of a scene, drawn once.
    func scene(_ number: Int) -> [UInt8] {
        if let known = pictures["scene \(number)"] { return known }
        let (width, height) = Picture.Scene.size(number)
        let made = Picture.png(width: width, height: height, Picture.Scene(number))
        pictures["scene \(number)"] = made
        return made
    }

    /// Returns a file of the served folder, or nil. A path cannot leave the folder.
    func file(_ path: String) -> [UInt8]? {
        guard let root, !path.split(separator: "/").contains("..") else { return nil }
        guard let handle = fopen(root + path, "rb") else { return nil }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, handle)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return ferror(handle) == 0 ? bytes : nil
    }

    /// Calls `go` as soon as this many requests were in progress at once. Waiting requests count.
    func whenTogether(_ count: Int, _ go: @escaping @Loop () -> Void) {
        held.append((count, go))
        let most = ledger.maxConcurrent
        let freed = held.filter { $0.count <= most }
        held.removeAll { $0.count <= most }
        for one in freed { one.go() }
    }

    /// Calls `go` when the gate is opened and all earlier requests at the gate have passed. `go` returns false if its client has disconnected
    /// meanwhile.
    func whenOpened(_ gate: String, _ go: @escaping @Loop () -> Bool) { atGates.append((gate, go)) }

    /// Lets one request through a gate; returns false if none waits there.
    func open(_ gate: String) -> Bool {
        while let index = atGates.firstIndex(where: { $0.gate == gate }) {
            if atGates.remove(at: index).go() { return true }
        }
        return false
    }

    /// Returns whether a `/status?times=n&after=m` answers its status. Both numbers count down for each target.
    func takesStatus(_ target: String, _ times: Int?, after: Int) -> Bool {
        let before = picturesLeft[target] ?? after
        picturesLeft[target] = max(0, before - 1)
        guard before <= 0 else { return false }
        guard let times else { return true }
        let left = statusesLeft[target] ?? times
        statusesLeft[target] = left - 1
        return left > 0
    }
}
