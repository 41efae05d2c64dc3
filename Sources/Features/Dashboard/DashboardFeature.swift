package import Coordinator
import TintypeCore
import TintypeImages
import TintypeTransport

extension Feature {
    /// The page for operators, and the sessions of its browsers.
    package static let dashboard: Maker = { core, _ in
        let sessions = SessionRoute(core.access.control, core.http)
        let (reads, other) = (["GET", "HEAD"], BodyAdmission.maxOther)
        var feature = Feature()
        feature.routes = [
            // The page has no secret: its methods ask for a token. As a guarded service, it then answers under every name.
            Route("page", reads, .exact("/"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("page", reads, .below(PageRoute.prefix, name: "NAME"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("session", ["POST", "DELETE"], .exact("/session"), .optionalToken, maxBody: other) { sessions.serve($0, $1) },
        ]
        return feature
    }
}

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

/// `POST /session` exchanges a token for a cookie, which the dashboard's requests bring in its place; `DELETE /session` takes it back.
///
/// Scripts cannot read the cookie. Browsers send it only for pages of the same site, and it counts only for pages of the same origin (`PageOrigin`).
@Loop
final class SessionRoute {
    private let access: AccessControl
    private let http: CoreHTTP

    init(_ access: AccessControl, _ http: CoreHTTP) { (self.access, self.http) = (access, http) }

    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let host = exchange.header("Host")
        if let stranger = PageOrigin.stranger(origin: exchange.header("Origin"), site: exchange.header("Sec-Fetch-Site"), host: host) {
            return answer(.failure(403, PageOrigin.denied(stranger)))
        }
        let isSecure = http.isEncrypted || exchange.header("Origin")?.lowercased().hasPrefix("https://") == true
        let name = PageSessions.cookie(host: host, isSecure: isSecure)
        guard exchange.method == "POST" else { return answer(Self.empty(Self.cookie(name, "", seconds: 0, isSecure))) }
        guard let token = (try? JSON(parsing: exchange.body))?["token"]?.string, !token.isEmpty else {
            return answer(.failure(400, .invalidParams(path: "token", value: nil, expected: "a JSON object with the token as a text")))
        }
        // Without tokens of the operator, everybody may do everything.
        guard access.isGuarded else { return answer(Self.empty([])) }
        do throws(TintypeError) {
            let value = try access.beginSession(Session(exchange, peer: "http"), token, in: name)
            answer(Self.empty(Self.cookie(name, value, seconds: Int(PageSessions.lifetime), isSecure)))
        } catch {
            answer(error.name == .unauthenticated ? .failure(401, error) : .refused(error))
        }
    }

    private static func empty(_ headers: [(String, String)]) -> WebAnswer { WebAnswer(status: 204, headers: [("Cache-Control", "no-store")] + headers) }

    private static func cookie(_ name: String, _ value: String, seconds: Int, _ isSecure: Bool) -> [(String, String)] {
        [("Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : ""))]
    }
}
