/// The reason phrases of the status codes that our servers send (RFC 9110 §15).
package enum HTTPStatus {
    /// Returns the reason phrase, or the name of the class for an unknown code.
    package static func reason(_ status: Int) -> String {
        reasons[status] ?? (status < 400 ? "OK" : status < 500 ? "Client Error" : "Server Error")
    }

    private static let reasons: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 410: "Gone", 412: "Precondition Failed",
        413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
