import Glibc

/// The ImageResult of an event as the text it came in, made one client's own: reading it and writing it anew takes longer than all else between
/// Redis and the client, for a word or two.
enum ResultText {
    /// The body of a `succeeded` event with the words of one request in it.
    ///
    /// Sound for whatever JSON: within one of its strings a quotation mark has a backslash before it, so that what is found is members called
    /// `stored` that hold plain words. If those are as many as the renditions, they are theirs: a worker writes one into each.
    /// - Parameters:
    ///   - renditions: how many the result has.
    ///   - stored: in place of what each says, as JSON.
    ///   - meta: the receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    /// - Returns: nil if this cannot be told for sure: it has to be read then.
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
                made.append(contentsOf: stored.utf8)
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

    /// Whether it may stand in a list of tiers.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "z")
    }
}
