import Glibc

/// Adapts the ImageResult of an event to one client without parsing its text. Parsing and rewriting it would take longer than all other work
/// between Redis and the client, for a few words.
enum ResultText {
    /// Returns the body of a `succeeded` event with the members of one request added.
    ///
    /// This is safe for any JSON. Inside a JSON string a quotation mark has a backslash before it, so every match is a member called `stored` with
    /// plain words. If there are as many matches as renditions, they belong to the renditions: a worker writes one into each.
    /// - Parameters:
    ///   - renditions: The number of renditions in the result.
    ///   - stored: The new value of each `stored`, as JSON. An empty one stays: no tier keeps that rendition.
    ///   - meta: The receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    /// - Returns: nil if the text is not certain to be safe, so that it must be parsed.
    static func body(_ body: String, renditions: Int, stored: String, meta: String) -> String? {
        var body = body
        return body.withUTF8 { text in
            guard let base = text.baseAddress, text.starts(with: #""result":{"#.utf8), text.last == UInt8(ascii: "}") else { return nil }
            var made: [UInt8] = []
            made.reserveCapacity(text.count + meta.utf8.count + 32 * renditions)
            var (start, found) = (0, 0)
            while let place = memmem(base + start, text.count - start, name, nameLength) {
                let list = base.distance(to: place.assumingMemoryBound(to: UInt8.self)) + nameLength
                guard text[list - nameLength - 1] != UInt8(ascii: "\\"), let end = text[list...].firstIndex(where: { !isPlain($0) }),
                    text[end] == UInt8(ascii: "]")
                else { return nil }
                made.append(contentsOf: text[start..<list - 1])
                made.append(contentsOf: end == list ? "[]".utf8 : stored.utf8)
                (start, found) = (end + 1, found + 1)
            }
            guard found == renditions else { return nil }
            made.append(contentsOf: text[start...].dropLast())
            made.append(contentsOf: meta.utf8)
            made.append(UInt8(ascii: "}"))
            return String(decoding: made, as: UTF8.self)
        }
    }

    private static let name = #""stored":["#
    private static let nameLength = name.utf8.count

    /// Returns whether a byte may occur in a list of tiers.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "z")
    }
}
