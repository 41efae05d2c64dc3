import TintypeCore

/// The lines of one response head as they arrive, within limits. A pure value.
struct HeaderBlock {
    /// More than any sane server sends, and few enough to do no harm.
    static let maxBytes = 64 << 10
    static let maxCount = 256

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    /// Whether the empty line after the headers has arrived.
    private(set) var isComplete = false
    private var bytes = 0

    /// Reads one line with its line break.
    /// - Returns: false when the head exceeds its limits.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let text = line.suffix(2).elementsEqual([13, 10]) ? line.dropLast(2) : line.last == 10 ? line.dropLast() : line[...]
        if text.starts(with: "HTTP/".utf8) {
            // A new response: the one before was informational, or a challenge that curl has answered.
            self = HeaderBlock()
            let words = text.split(separator: 32, maxSplits: 2)
            // The status has three digits (RFC 9112 §4).
            let code = words.count > 1 ? WireNumber.digits(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
            status = (100...999).contains(code) ? Int(code) : 0
        } else if isComplete {
            return true  // a trailer behind a chunked body is not read
        } else if text.isEmpty {
            isComplete = true
        } else if let colon = text.firstIndex(of: 58) {
            let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
            let value = ASCII.trimmed(text[(colon + 1)...])
            // From here on the target of a redirect is cut at bytes. Bytes that are not ASCII are escaped, as browsers send them.
            headers.append((name, name == "location" ? PercentText.ascii(value) : String(decoding: value, as: UTF8.self)))
        }
        bytes += line.count
        return bytes <= Self.maxBytes && headers.count <= Self.maxCount
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The declared length of the body as sent, compressed or not. An impossible number counts as none, since other lengths are added to it.
    var declaredBytes: Int64? { header("content-length").flatMap { WireNumber.digits($0) } }

    /// Whether the declared length is impossible: two different ones (RFC 9112 §6.3), or one above every possible length.
    var isLengthImpossible: Bool {
        guard header("transfer-encoding") == nil else { return false }
        let lengths = Set(headers.filter { $0.name == "content-length" }.flatMap { $0.value.split(separator: ",") }.map { String($0).trimmed })
        return lengths.count > 1 || lengths.contains { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && WireNumber.digits($0) == nil }
    }

    /// The length that the receiver will get; nil if it is not known in advance.
    var expectedBytes: Int64? { isEncoded || header("transfer-encoding") != nil ? nil : declaredBytes }

    /// Whether the body is encoded on the way, so that the receiver gets other bytes.
    private var isEncoded: Bool { encoding != nil }

    /// The encodings of the body in the order in which they were applied; nil without any.
    var encoding: String? { ContentDecoder.encoding(headers) }

    /// The end of a 206, counted from the beginning of the whole; nil for any other status.
    var promisedBytes: Int64? {
        status == 206 && !isEncoded ? ContentRange(header("content-range") ?? "").map { $0.last + 1 } : nil
    }

    /// Returns the head for the receiver. To the receiver, the remainder of a resumed body counts as the whole: a 200. Headers of the first response
    /// are added, since the second one need not repeat them (RFC 9110 §15.3.7).
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

    /// The target of a redirect; nil for any other response.
    var redirectTarget: String? {
        guard [301, 302, 303, 307, 308].contains(status), let location = header("location"), !location.isEmpty else {
            return nil
        }
        return location
    }

    /// Returns whether the response delivers the requested bytes: the whole body, or everything after the first `offset` bytes. A 206 without a request
    /// for a range may carry the whole body. True for any other status.
    private func covers(from offset: Int64) -> Bool {
        guard status == 206 else { return true }
        guard let range = ContentRange(header("content-range") ?? ""), range.first == offset else { return false }
        // A range of compressed bytes does not continue the bytes that are there.
        if offset > 0, isEncoded { return false }
        return range.total.map { range.last == $0 - 1 } ?? (offset > 0)
    }

    /// Returns whether the body is the requested one: the whole, or the remainder after a beginning.
    func delivers(_ resume: TransferRequest.Resume?) -> Bool {
        guard status == 206, let resume else { return covers(from: 0) }
        return goesOn(with: resume)
    }

    /// Returns whether a 206 continues this beginning (RFC 9110 §13.1.5, §15.3.7). Some servers obey Range but not If-Range, and send the remainder of
    /// another body.
    private func goesOn(with resume: TransferRequest.Resume) -> Bool {
        guard covers(from: resume.offset), let range = ContentRange(header("content-range") ?? "") else { return false }
        let isTag = resume.validator.hasPrefix("\"")
        for name in ["etag", "last-modified"] {
            // The validators of the first response count too, whichever of them was sent.
            let known = isTag == (name == "etag") ? resume.validator : resume.headers.first { $0.name == name }?.value
            if let own = header(name), let known, own != known { return false }
        }
        guard let total = range.total else { return range.last + 1 == resume.total }
        return resume.total.map { $0 == total } ?? true
    }
}
