/// An event of a stream of server-sent events.
struct ServerEvent: Sendable, Hashable {
    let id: String
    let type: String
    let data: String
}

/// Reads server-sent events (HTML standard, section 9.2) from pieces of bytes.
struct ServerEvents {
    private var lines = Lines(most: 64 << 20)
    private var id = ""
    private var type = ""
    private var data: [String] = []

    /// Passes on the events that are whole now.
    ///
    /// - Returns: false when a line is too long.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (ServerEvent) -> Void) -> Bool {
        var texts: [String] = []
        let fits = lines.take(bytes) { texts.append(String(decoding: $0, as: UTF8.self)) }
        for text in texts {
            if let event = read(text) { body(event) }
        }
        return fits
    }

    private mutating func read(_ text: String) -> ServerEvent? {
        // A letter of Swift may have two bytes here.
        let line = text.utf8.last == UInt8(ascii: "\r") ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
        if line.isEmpty {
            defer { (type, data) = ("", []) }
            return data.isEmpty ? nil : ServerEvent(id: id, type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"))
        }
        let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""[...].utf8
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(Substring(parts[0])) {
        case "data": data.append(String(Substring(value)))
        case "event": type = String(Substring(value))
        case "id": if !value.contains(0) { id = String(Substring(value)) }
        default: break
        }
        return nil
    }
}
