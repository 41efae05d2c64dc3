/// A refusal by which a server of a Redis Cluster names another one, or asks to wait. It has done nothing.
package struct ClusterRedirect: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// The other server has the slot.
        case moved
        /// The slot is on its way to the other server, and this key is not here.
        case ask
        /// The slot is on its way, and only some of the keys are here.
        case tryAgain
    }

    package let kind: Kind
    /// The slot; nil for `tryAgain`.
    package let slot: Int?
    /// The host of the other server; empty: that of the server that answered.
    private let host: String
    private let port: Int64

    /// Reads `MOVED slot host:port`, `ASK slot host:port` or `TRYAGAIN …`; nil for another text.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        if words.first == "TRYAGAIN" {
            (kind, slot, host, port) = (.tryAgain, nil, "", 0)
            return
        }
        guard words.count == 3, words[0] == "MOVED" || words[0] == "ASK", let slot = Int(words[1]), (0..<HashSlot.count).contains(slot),
            let colon = words[2].lastIndex(of: ":"), let port = Int64(words[2][words[2].index(after: colon)...])
        else { return nil }
        (kind, self.slot, host, self.port) = (words[0] == "MOVED" ? .moved : .ask, slot, String(words[2][..<colon]), port)
    }

    /// Returns the other server; nil if the answer has no usable address.
    /// - Parameter asked: the server that answered.
    package func address(from asked: SocketAddress) -> SocketAddress? { SlotMap.address(host, port: port, from: asked) }
}
