import TintypeCore

/// The lines of one response head as they arrive, within limits. A pure value.
struct HeaderBlock {
    /// More than any sane server sends, less than would hurt.
    static let maxBytes = 64 << 10
    static let maxCount = 256

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    /// Whether the empty line behind the headers was seen.
    private(set) var isComplete = false
    private var bytes = 0

    /// Takes one line, its line break included.
    /// - Returns: false when the head has grown beyond its limits.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let text = line.suffix(2).elementsEqual([13, 10]) ? line.dropLast(2) : line.last == 10 ? line.dropLast() : line[...]
        if text.starts(with: "HTTP/".utf8) {
            // A new response: what came before was informational, or a challenge that curl answered.
            self = HeaderBlock()
            let words = text.split(separator: 32, maxSplits: 2)
            // Of three digits (RFC 9112 §4).
            let code = words.count > 1 ? WireNumber.digits(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
            status = (100...999).contains(code) ? Int(code) : 0
        } else if isComplete {
            return true  // a trailer behind a chunked body: nobody reads it
        } else if text.isEmpty {
            isComplete = true
        } else if let colon = text.firstIndex(of: 58) {
            let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
            let value = Self.trimmed(text[(colon + 1)...])
            // Where a redirect leads is cut at bytes from here on: those that are not ASCII come escaped, as browsers send them.
            headers.append((name, name == "location" ? PercentText.ascii(value) : String(decoding: value, as: UTF8.self)))
        }
        bytes += line.count
        return bytes <= Self.maxBytes && headers.count <= Self.maxCount
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The declared length of the body as sent, compressed or not. One that nothing could have counts as none: it must be added to.
    var declaredBytes: Int64? { header("content-length").flatMap { WireNumber.digits($0) } }

    /// Whether what is said of the length cannot be: two that differ (RFC 9112 §6.3), or one beyond all that there is.
    var isLengthImpossible: Bool {
        guard header("transfer-encoding") == nil else { return false }
        let lengths = Set(headers.filter { $0.name == "content-length" }.flatMap { $0.value.split(separator: ",") }.map { String($0).trimmed })
        return lengths.count > 1 || lengths.contains { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && WireNumber.digits($0) == nil }
    }

    /// The length the receiver will see; nil when unknown beforehand.
    var expectedBytes: Int64? { isEncoded || header("transfer-encoding") != nil ? nil : declaredBytes }

    /// Whether the body has other bytes on the way than the receiver will see.
    private var isEncoded: Bool { encoding != nil }

    /// What the body went through on its way, in the order of that; nil when nothing.
    var encoding: String? {
        let words = headers.filter { $0.name == "content-encoding" }.flatMap { $0.value.lowercased().split(separator: ",") }
        let encodings = words.map { $0.filter { $0 != " " && $0 != "\t" } }.filter { !["", "identity", "none"].contains($0) }
        return encodings.isEmpty ? nil : encodings.joined(separator: ", ")
    }

    /// Where a 206 says that it ends, counted from the beginning of the whole; nil for any other status.
    var promisedBytes: Int64? {
        status == 206 && !isEncoded ? ContentRange(header("content-range") ?? "").map { $0.last + 1 } : nil
    }

    /// The head as the receiver gets it. The rest of what is there already is to it what the whole would be: a 200, with what the beginning's response
    /// had said and the rest's need not repeat (RFC 9110 §15.3.7).
    func head(at plan: RedirectPlan, goingOnWith resume: TransferRequest.Resume?) -> TransferHead {
        guard status == 206, let resume else {
            return TransferHead(
                status: status, headers: headers, url: plan.url.text, host: plan.url.queuedHost, expectedBytes: expectedBytes ?? promisedBytes, hops: plan.hops)
        }
        let left = resume.headers.filter { known in header(known.name) == nil }
        return TransferHead(
            status: 200, headers: headers + left, url: plan.url.text, host: plan.url.queuedHost,
            expectedBytes: expectedBytes.map { $0 + resume.offset } ?? promisedBytes,
            hops: plan.hops, resumedFrom: resume.offset)
    }

    /// Where a redirect points to; nil when the response is none.
    var redirectTarget: String? {
        guard [301, 302, 303, 307, 308].contains(status), let location = header("location"), !location.isEmpty else {
            return nil
        }
        return location
    }

    /// Whether what was asked for is delivered: all of it, or what follows the first `offset` bytes. A 206 that nobody asked for may hold
    /// the whole after all. True for any other status.
    private func covers(from offset: Int64) -> Bool {
        guard status == 206 else { return true }
        guard let range = ContentRange(header("content-range") ?? ""), range.first == offset else { return false }
        // A range of compressed bytes belongs to none of what is there.
        if offset > 0, isEncoded { return false }
        return range.total.map { range.last == $0 - 1 } ?? (offset > 0)
    }

    /// Whether the body is what was asked for: the whole, or the rest of a beginning.
    func delivers(_ resume: TransferRequest.Resume?) -> Bool {
        guard status == 206, let resume else { return covers(from: 0) }
        return goesOn(with: resume)
    }

    /// Whether a 206 goes on with this beginning (RFC 9110 §13.1.5, §15.3.7): there are servers that heed Range and not If-Range, and send the
    /// rest of another body.
    private func goesOn(with resume: TransferRequest.Resume) -> Bool {
        guard covers(from: resume.offset), let range = ContentRange(header("content-range") ?? "") else { return false }
        let isTag = resume.validator.hasPrefix("\"")
        for name in ["etag", "last-modified"] {
            // What the beginning's response said counts too, whichever of them was asked by.
            let known = isTag == (name == "etag") ? resume.validator : resume.headers.first { $0.name == name }?.value
            if let own = header(name), let known, own != known { return false }
        }
        guard let total = range.total else { return range.last + 1 == resume.total }
        return resume.total.map { $0 == total } ?? true
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var text = text
        while let first = text.first, first == 32 || first == 9 { text = text.dropFirst() }
        while let last = text.last, last == 32 || last == 9 { text = text.dropLast() }
        return text
    }
}
