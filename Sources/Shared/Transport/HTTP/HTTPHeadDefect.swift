/// Searches a request's head for constructs that two programs may read differently. Pure.
///
/// evhttp accepts all of these in one way or another. A proxy in front may read them differently. It then passes on one request that is two requests
/// here, without having seen the second one (request smuggling).
enum HTTPHeadDefect {
    /// Methods for which evhttp reads no body. It takes such a body for the next request.
    private static let bodiless: Set = ["HEAD", "TRACE"]

    /// Finds the first flaw of a head.
    /// - Parameter lines: the lines without line feeds, in ASCII; the first is the request line.
    /// - Returns: the flaw, as text after "the request's head"; nil if there is none.
    static func find(in lines: [String]) -> String? {
        let returns = lines.count { $0.last == "\r" }
        if returns > 0, returns < lines.count { return "ends some lines with a carriage return and others without" }
        let lines = lines.map { $0.last == "\r" ? $0.dropLast() : $0[...] }.filter { !$0.isEmpty }
        // For evhttp NUL ends a line, and a line that begins with NUL ends the head.
        if lines.contains(where: { $0.utf8.contains { $0 < 0x20 && $0 != 9 } }) { return "has a control character in it" }
        guard let request = lines.first else { return nil }
        let words = request.split(separator: " ")
        var (lengths, codings, hosts): (Set<Substring>, [String], Int) = ([], [], 0)
        for var line in lines.dropFirst() {
            while line.last == " " || line.last == "\t" { line.removeLast() }
            if line.first == " " || line.first == "\t" { return "has a line that begins with a space" }
            guard let colon = line.firstIndex(of: ":") else { return "has a line without a colon" }
            let name = line[..<colon]
            if name.isEmpty || name.contains(where: \.isWhitespace) { return "has a space or no name before a colon" }
            // evhttp does not skip tabs here.
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch name.lowercased() {
            case "content-length": lengths.insert(value)
            case "transfer-encoding": codings.append(value.lowercased())
            case "host": hosts += 1
            default: break
            }
        }
        if lengths.count > 1 { return "has several different Content-Lengths" }
        if let length = lengths.first, length.isEmpty || length.utf8.count > 18 || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return "has a Content-Length that is no number"
        }
        if !codings.isEmpty, codings != ["chunked"] { return "has a Transfer-Encoding other than chunked" }
        // evhttp reads chunks in any version. Other programs read none before 1.1.
        if !codings.isEmpty, words.last != "HTTP/1.1" { return "has a Transfer-Encoding, and is not HTTP/1.1" }
        if !codings.isEmpty, !lengths.isEmpty { return "has both Content-Length and Transfer-Encoding" }
        if hosts > 1 { return "has several Host lines" }
        if hosts == 0, words.count == 3, words[2] != "HTTP/1.0" { return "has no Host line" }
        if let method = words.first, bodiless.contains(String(method)), !codings.isEmpty || lengths.contains(where: { $0.contains { $0 != "0" } }) {
            return "announces a body, and \(method) has none"
        }
        return nil
    }
}
