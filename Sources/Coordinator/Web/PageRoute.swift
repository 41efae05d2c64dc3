import TintypeTransport
import TintypeImages

/// `GET /` and `GET /page/NAME`: the files of the dashboard.
enum PageRoute {
    static let prefix = "/page/"

    /// The rights of the page in a browser. It asks this service only, runs its own modules only, and makes no markup out of texts.
    static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    @Loop static func answer(to exchange: HTTPExchange) -> WebAnswer { answer(exchange.path, ifNoneMatch: exchange.header("If-None-Match")) }

    /// Returns the answer for a path. A browser asks again each time, and gets a file only when the file has changed.
    static func answer(_ path: String, ifNoneMatch: String?) -> WebAnswer {
        let name = path == "/" ? "index.html" : String(path.dropFirst(prefix.count))
        guard let file = PageFile.all[name] else { return .notFound("the dashboard has no such file") }
        let shared = [("ETag", file.tag), ("Cache-Control", "no-cache")] + headers
        if EntityTag.matches(ifNoneMatch, file.tag) { return WebAnswer(status: 304, headers: shared) }
        return WebAnswer(status: 200, headers: [("Content-Type", file.type)] + shared, body: file.body)
    }
}
