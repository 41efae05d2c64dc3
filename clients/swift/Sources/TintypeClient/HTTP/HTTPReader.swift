/// The first part of an answer.
struct HTTPHead: Sendable {
    let status: Int
    /// By their names in small letters.
    let headers: [String: String]
}

/// Reads answers of HTTP/1.1 from pieces of bytes.
struct HTTPReader {
    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case untilEnd
        case done
    }

    private static let longestHead = 64 << 10

    private var state = State.head
    /// The beginning of a head or line that is not whole.
    private var rest: [UInt8] = []
    private(set) var head: HTTPHead?
    /// Whether the connection may have another request.
    private(set) var isKept = false

    var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Takes bytes of the answer.
    ///
    /// - Parameter body: Takes the bytes of the body.
    /// - Returns: Why the bytes are no answer, if they are none.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) -> String? {
        var bytes = UnsafeBufferPointer(rebasing: bytes[...])
        func skip(_ count: Int) { bytes = UnsafeBufferPointer(rebasing: bytes[count...]) }
        while true {
            switch state {
            case .done: return bytes.isEmpty ? nil : "bytes after the end of the answer"
            case .head:
                guard let line = line(&bytes) else { return rest.count > Self.longestHead ? "its head is too long" : nil }
                heads.append(line)
                if heads.count > 256 { return "its head is too long" }
                if line.isEmpty, let fault = readHead() { return fault }
            case .body(let left), .chunk(let left):
                if bytes.isEmpty { return nil }
                let count = min(left, bytes.count)
                body(UnsafeBufferPointer(rebasing: bytes[..<count]))
                skip(count)
                if case .chunk = state {
                    state = left == count ? .chunkEnd : .chunk(left: left - count)
                } else {
                    state = left == count ? .done : .body(left: left - count)
                }
            case .chunkSize:
                guard let line = line(&bytes) else { return nil }
                guard let size = Int(line.prefix { $0 != ";" }.trimmingSpaces(), radix: 16), size >= 0 else { return "a chunk has no size" }
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunkEnd:
                guard let line = line(&bytes) else { return nil }
                if !line.isEmpty { return "a chunk is longer than its size" }
                state = .chunkSize
            case .trailers:
                guard let line = line(&bytes) else { return nil }
                if line.isEmpty { state = .done }
            case .untilEnd:
                if !bytes.isEmpty { body(bytes) }
                return nil
            }
        }
    }

    /// The connection is over. Returns whether the answer is whole.
    mutating func end() -> Bool {
        if case .untilEnd = state { state = .done }
        return isDone
    }

    private var heads: [String] = []

    private mutating func readHead() -> String? {
        let words = heads[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return "the answer is no HTTP" }
        var headers: [String: String] = [:]
        for line in heads.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return "a header has no name" }
            headers[parts[0].lowercased()] = parts[1].trimmingSpaces()
        }
        heads = []
        // More of the answer follows a status such as 100.
        if status < 200 { return nil }
        head = HTTPHead(status: status, headers: headers)
        isKept = words[0] == "HTTP/1.1" && headers["connection"]?.lowercased() != "close"
        if status == 204 || status == 304 {
            state = .done
        } else if headers["transfer-encoding"]?.lowercased().contains("chunked") == true {
            state = .chunkSize
        } else if let length = headers["content-length"] {
            guard !length.hasPrefix("+"), let count = Int(length), count >= 0 else { return "the length of the answer is no number" }
            state = count == 0 ? .done : .body(left: count)
        } else {
            isKept = false
            state = .untilEnd
        }
        return nil
    }

    /// Takes a whole line, without its end; nil when its end has not come.
    private mutating func line(_ bytes: inout UnsafeBufferPointer<UInt8>) -> String? {
        guard let length = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            rest.append(contentsOf: bytes)
            bytes = UnsafeBufferPointer(start: nil, count: 0)
            return nil
        }
        rest.append(contentsOf: bytes[..<length])
        bytes = UnsafeBufferPointer(rebasing: bytes[(length + 1)...])
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        defer { rest.removeAll(keepingCapacity: true) }
        return String(decoding: rest, as: UTF8.self)
    }
}
