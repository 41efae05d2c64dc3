import Glibc

/// The reason phrases of the status codes that our servers send (RFC 9110 §15).
package enum HTTPStatus {
    /// Returns the reason phrase, or the name of the class for an unknown code.
    package static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case ..<400: "OK"
        case ..<500: "Client Error"
        default: "Server Error"
        }
    }
}

/// The `Date` line of answers (RFC 9110 §6.6.1), made at most once a second.
@Loop
enum AnswerDate {
    private static var second = 0
    private static var bytes: [UInt8] = []

    /// The line for the current second, with its end.
    static var line: [UInt8] {
        let now = time(nil)
        if now != second { (second, bytes) = (now, Array("Date: \(text(now))\r\n".utf8)) }
        return bytes
    }

    /// Returns an epoch second as HTTP writes dates.
    nonisolated static func text(_ second: Int) -> String {
        var (moment, parts) = (time_t(second), tm())
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        return "\(day), \(two(parts.tm_mday)) \(month) \(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

/// Comparisons of words in bytes, without texts. Pure.
///
/// Only the letters of ASCII have a case here. For Swift's texts a colon with an accent is another character, and the Kelvin sign lowercases to k.
enum ASCII {
    static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }

    /// Returns whether the words are the same but for case.
    static func isSame(_ word: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        word.count == other.count && zip(word, other).allSatisfy { lower($0) == lower($1) }
    }

    static func bytes(of word: StaticString) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) }

    /// Returns the word without the spaces and tabs around it.
    static func trimmed<Word: BidirectionalCollection<UInt8>>(_ word: Word) -> Word.SubSequence {
        var rest = word[...]
        while let first = rest.first, first == 32 || first == 9 { rest.removeFirst() }
        while let last = rest.last, last == 32 || last == 9 { rest.removeLast() }
        return rest
    }
}
