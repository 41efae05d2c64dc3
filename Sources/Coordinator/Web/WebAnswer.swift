package import TintypeCore
package import TintypeTransport
import TintypeImages

/// A complete answer to an HTTP request. Pure.
package struct WebAnswer: Sendable {
    package let status: Int
    package var headers: [(String, String)]
    /// Header lines that were made before, in front of `headers`.
    package var lines = HeaderLines()
    /// The body, which shares its memory with its source.
    package var body: ArraySlice<UInt8>
    /// The body if it is in a file.
    package var file: FilePart?
    /// Released when the answer is sent or its client has disconnected.
    package var held: (any AnyObject & Sendable)?
    /// Begins an answer that goes on for an unknown time, in place of the body; nil for any other answer.
    package var stream: (@Loop (HTTPExchange) -> Void)?

    package init(status: Int, headers: [(String, String)], body: ArraySlice<UInt8> = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The number of bytes of the body.
    package var count: Int { file?.count ?? body.count }

    /// All header lines.
    package var allLines: HeaderLines {
        var all = lines
        for (name, value) in headers { all.add(name, value) }
        return all
    }

    package init(status: Int, headers: [(String, String)], body: [UInt8]) { self.init(status: status, headers: headers, body: body[...]) }

    package static func json(_ status: Int, _ body: JSON, headers: [(String, String)] = []) -> WebAnswer {
        WebAnswer(status: status, headers: [("Content-Type", "application/json")] + headers, body: body.bytes())
    }

    package static func text(_ text: String, type: String) -> WebAnswer {
        WebAnswer(status: 200, headers: [("Content-Type", type)], body: Array(text.utf8))
    }

    package static func notFound(_ message: String) -> WebAnswer { json(404, ["error": ["name": "notFound", "message": .string(message)]]) }

    package static func methodNotAllowed(_ allowed: String) -> WebAnswer {
        json(405, ["error": ["name": "methodNotAllowed", "message": .string("allowed here: \(allowed)")]], headers: [("Allow", allowed)])
    }

    static var preconditionFailed: WebAnswer {
        json(412, ["error": ["name": "preconditionFailed", "message": "the image is not the one that If-Match or If-None-Match asks for"]])
    }

    package static func malformed(_ part: String, _ flaw: String) -> WebAnswer {
        json(400, ["error": ["name": "badRequest", "message": .string("the request's \(part) \(flaw): it is ambiguous, so the request is refused")]])
    }

    package static var tooManyConnections: WebAnswer {
        let message = "too many connections are open: reuse an open connection, or try again in 1 s"
        return failure(503, TintypeError(.overloaded, .admission, message, details: ["retryAfter": 1]))
    }

    package static func tooLong(_ limit: Int) -> WebAnswer {
        json(413, ["error": ["name": "limitExceeded", "message": .string("the body is too long: at most \(limit) bytes are accepted here")]])
    }

    package static var noRoom: WebAnswer {
        failure(503, TintypeError(.overloaded, .admission, "too many bytes are being sent at once: try again in 1 s", details: ["retryAfter": 1]))
    }

    package static var tooSlow: WebAnswer {
        let message = "the request arrives too slowly: a head has 20 s, a body 20 s and after that 4 KiB/s, and 300 s in all"
        return json(408, ["error": ["name": "timeout", "message": .string(message)]])
    }

    package static var unauthenticated: WebAnswer {
        json(401, ["error": AccessControl.missing.json], headers: [("WWW-Authenticate", "Bearer")])
    }

    /// The answer to a request beyond a limit of its client (RFC 6585 §4). The service itself has room: for its own limits the status is 503.
    /// - Parameter body: The answer as JSON; nil for the error alone.
    package static func refused(_ error: TintypeError, body: [UInt8]? = nil) -> WebAnswer {
        var answer = failure(429, error)
        if let body { answer.body = body[...] }
        return answer
    }

    /// The answer with an error, and with `Retry-After` if the error names a time (RFC 9110 §10.2.3).
    package static func failure(_ status: Int, _ error: TintypeError) -> WebAnswer {
        let seconds = error.details["retryAfter"]?.double.map { Int(max(1, min($0, 86_400)).rounded(.up)) }  // bounded: by the day
        return json(status, ["error": error.json], headers: seconds.map { [("Retry-After", "\($0)")] } ?? [])
    }
}
