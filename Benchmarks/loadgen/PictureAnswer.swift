import TintypeCore

/// An answer over HTTP, as far as it is read from the bytes of a connection. Pure.
struct PictureAnswer {
    let status: Int
    /// The field values by lower-case name.
    let headers: [String: String]
    let body: [UInt8]

    /// - Returns: nil while bytes are missing.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length = status == 304 ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end + length else { return nil }
        (self.headers, body) = (headers, Array(bytes[end...]))
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10 && bytes[index - 3] == 13 {
            return index + 1
        }
        return nil
    }

    /// Whether the server closes the connection behind the answer.
    var isLast: Bool { headers["connection"]?.lowercased() == "close" }

    /// The width and height in the header of a PNG; nil for any other body.
    var sizeOfPNG: (width: Int, height: Int)? {
        guard body.count > 33, body.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
        func number(_ at: Int) -> Int { body[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}
