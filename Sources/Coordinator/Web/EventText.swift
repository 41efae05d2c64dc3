/// The text of server-sent events (HTML living standard, section 9.2). Pure.
enum EventText {
    /// Sent while there is no event, so that proxies and clients do not give the connection up.
    static let keepAlive = Array(": keep-alive\n\n".utf8)

    /// Returns the first lines of a stream.
    /// - Parameter retry: The pause of a client before it connects again.
    static func opening(retry: Duration) -> [UInt8] { Array("retry: \(retry.components.seconds * 1000)\n\n".utf8) }

    /// Returns an event. No part of it has a line break.
    static func bytes(of event: StreamEvent) -> [UInt8] {
        let id = event.id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(event.type)\ndata: \(event.data)\n\n".utf8)
    }
}
