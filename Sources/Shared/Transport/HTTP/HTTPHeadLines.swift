import Glibc

/// The lines of a request's head, read in one pass, with the first flaw that two programs may read differently. Pure.
///
/// A proxy in front may read such a head differently. It then passes on one request that is two requests here, without having seen the second one
/// (request smuggling).
struct HTTPHeadLines {
    private(set) var method = 0..<0
    private(set) var target = 0..<0
    private(set) var fields: [HTTPHead.Field] = []
    private(set) var isOld = false
    /// As in `HTTPHead`.
    var length: Int? { isChunked ? nil : longest }
    /// The flaw, as text after "the request's head"; nil if there is none.
    private(set) var flaw: String?

    private let bytes: UnsafeBufferPointer<UInt8>
    private var longest = 0
    private var isChunked = false
    /// The place of the first `Content-Length`.
    private var announced: Range<Int>?
    private var codings = 0
    private var hosts = 0
    /// The flaws of single lines come after those of the bytes.
    private var lineFlaw: String?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        fields.reserveCapacity(8)
        var (start, lines, returns, isFirst) = (0, 0, 0, true)
        while start < bytes.count {
            var end = place(of: 10, in: start..<bytes.count) ?? bytes.count
            // A carriage return belongs only before the end of a line.
            let last = end > start && bytes[end - 1] == 13 ? end - 1 : end
            if hasControl(start..<last) { flaw = flaw ?? "has a control character in it" }
            let next = end + 1
            if end > start {
                lines += 1
                if bytes[end - 1] == 13 {
                    returns += 1
                    end -= 1
                }
            }
            if end > start {
                if isFirst { readRequest(start..<end) } else { readField(start..<end) }
                isFirst = false
            }
            start = next
        }
        if returns > 0, returns < lines { flaw = "ends some lines with a carriage return and others without" }
        flaw = flaw ?? lineFlaw ?? combined
    }

    /// Returns the first place of a byte.
    private func place(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base + range.lowerBound, Int32(byte), range.count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Returns whether there is a control character other than the tab. Without a branch, so that many bytes are looked at in one step.
    private func hasControl(_ range: Range<Int>) -> Bool {
        var found: UInt8 = 0
        for index in range { found |= (bytes[index] < 0x20 ? 1 : 0) & (bytes[index] != 9 ? 1 : 0) }
        return found != 0
    }

    // MARK: Lines

    private mutating func readRequest(_ line: Range<Int>) {
        guard let first = place(of: 32, in: line) else {
            method = line
            return note("has no request line of a method, a target and a version")
        }
        method = line.lowerBound..<first
        let rest = first + 1..<line.upperBound
        let second = place(of: 32, in: rest)
        target = rest.lowerBound..<(second ?? rest.upperBound)
        guard let second, !method.isEmpty, !target.isEmpty else { return note("has no request line of a method, a target and a version") }
        // "HTTP/1." and a digit.
        let version = second + 1..<line.upperBound
        guard version.count == 8, bytes[version].dropLast().elementsEqual(ASCII.bytes(of: "HTTP/1.")), (0x30...0x39).contains(bytes[version.upperBound - 1])
        else { return note("has a version other than HTTP/1") }
        isOld = bytes[version.upperBound - 1] == 0x30
    }

    private mutating func readField(_ whole: Range<Int>) {
        var line = whole
        while let last = line.last, bytes[last] == 32 || bytes[last] == 9 { line.removeLast() }
        guard let first = line.first else { return note("has a line that begins with a space") }
        if bytes[first] == 32 || bytes[first] == 9 { return note("has a line that begins with a space") }
        guard let colon = place(of: UInt8(ascii: ":"), in: line) else { return note("has a line without a colon") }
        let name = line.lowerBound..<colon
        if name.isEmpty || bytes[name].contains(where: { $0 == 32 || $0 == 9 }) { return note("has a space or no name before a colon") }
        var value = colon + 1..<line.upperBound
        while let first = value.first, bytes[first] == 32 { value.removeFirst() }
        readFraming(name, value)
        while let first = value.first, bytes[first] == 32 || bytes[first] == 9 { value.removeFirst() }
        fields.append(HTTPHead.Field(name: name, value: value))
    }

    /// Reads a header on which the end of the request or its host depends.
    /// - Parameter value: without the spaces before it, but with tabs: other programs do not skip them.
    private mutating func readFraming(_ name: Range<Int>, _ value: Range<Int>) {
        switch name.count {
        case 4 where isSame(name, "host"): hosts += 1
        case 14 where isSame(name, "content-length"):
            if let announced, !bytes[announced].elementsEqual(bytes[value]) { note("has several different Content-Lengths") }
            announced = announced ?? value
            guard let number = number(value) else { return note("has a Content-Length that is no number") }
            longest = max(longest, number)
        case 17 where isSame(name, "transfer-encoding"):
            codings += 1
            let isKnown = isSame(value, "chunked")
            if isKnown { isChunked = true }
            if !isKnown || codings > 1 { note("has a Transfer-Encoding other than chunked") }
        default: break
        }
    }

    private func number(_ place: Range<Int>) -> Int? {
        guard !place.isEmpty, place.count <= 18 else { return nil }
        var number = 0
        for byte in bytes[place] {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    private func isSame(_ place: Range<Int>, _ word: StaticString) -> Bool { ASCII.isSame(bytes[place], ASCII.bytes(of: word)) }

    private mutating func note(_ flaw: String) { lineFlaw = lineFlaw ?? flaw }

    // MARK: All lines together

    private var combined: String? {
        guard !method.isEmpty else { return "has no request line of a method, a target and a version" }
        // Other programs read no chunks before 1.1.
        if codings > 0, isOld { return "has a Transfer-Encoding, and is not HTTP/1.1" }
        if codings > 0, announced != nil { return "has both Content-Length and Transfer-Encoding" }
        if hosts > 1 { return "has several Host lines" }
        if hosts == 0, !isOld { return "has no Host line" }
        // Some programs take such a body for the next request.
        if isSame(method, "head") || isSame(method, "trace"), codings > 0 || longest > 0 {
            return "announces a body, and \(String(decoding: bytes[method], as: UTF8.self)) has none"
        }
        return nil
    }
}
