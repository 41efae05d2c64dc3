import TintypeCore
import TintypeImages
import TintypeTransport

/// The code that serves a route; it answers once.
typealias WebAction = @Loop (HTTPExchange, @escaping @Loop (WebAnswer) -> Void) -> Void

extension RouteTable<WebAction> {
    /// Returns all routes of the HTTP port, with their required access.
    @Loop static func web(
        images: ImageRoute, rpc: RPCRoute, health: HealthRoute, uploads: UploadRoute, events: EventRoute, scale: ScaleRoute, sessions: SessionRoute
    ) -> RouteTable {
        let reads = ["GET", "HEAD"]
        let (image, other) = (RoutePath.below(ImagePath.prefix, name: "KEY"), BodyAdmission.maxOther)
        return RouteTable([
            Route(ImageRoute.name, reads, image, .token(.load), isCounted: true, isTraced: true, maxBody: other) { images.serve($0, $1) },
            Route(ImageRoute.name, ["PUT"], image, .token(ImageRoute.roleToPut), isCounted: true, isTraced: true, maxBody: BodyAdmission.maxImage) {
                images.put($0, $1)
            },
            Route(UploadRoute.name, ["PUT"], .exact(UploadRoute.path), .token(UploadRoute.role), isCounted: true, isTraced: true, maxBody: uploads.maxBody) {
                uploads.put($0, $1)
            },
            Route(UploadRoute.name, ["DELETE"], .below(UploadRoute.path + "/", name: "ID"), .token(UploadRoute.role), isTraced: true, maxBody: other) {
                uploads.remove($0, $1)
            },
            Route("rpc", ["POST"], .exact("/rpc"), .optionalToken, maxBody: BodyAdmission.maxMessage) { rpc.serve($0, $1) },
            // A page of another site could not read the events, and would keep a connection open.
            Route("events", reads, .exact("/events"), .token(.load), pages: .own, maxBody: other) { events.serve($0, $1) },
            Route("healthz", reads, .exact("/healthz"), .open, maxBody: other) { _, answer in answer(health.liveness) },
            Route("readyz", reads, .exact("/readyz"), .open, maxBody: other) { _, answer in answer(health.readiness) },
            Route("metrics", reads, .exact("/metrics"), .open, maxBody: other) { exchange, answer in
                answer(health.metrics(accept: exchange.header("Accept")))
            },
            // The page has no secret: its methods ask for a token. As a guarded service, it then answers under every name.
            Route("page", reads, .exact("/"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("page", reads, .below(PageRoute.prefix, name: "NAME"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("session", ["POST", "DELETE"], .exact("/session"), .optionalToken, maxBody: other) { sessions.serve($0, $1) },
            Route("scale", reads, .exact("/scale"), .open, maxBody: other) { scale.serve($0, $1) },
        ])
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
    private let door: AccessControl
    /// Whether the port speaks TLS itself. A proxy in front may do so too.
    var isEncrypted = false

    init(_ door: AccessControl) { self.door = door }

    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let host = exchange.header("Host")
        if let stranger = PageOrigin.stranger(origin: exchange.header("Origin"), site: exchange.header("Sec-Fetch-Site"), host: host) {
            return answer(.failure(403, PageOrigin.denied(stranger)))
        }
        let isSecure = isEncrypted || exchange.header("Origin")?.lowercased().hasPrefix("https://") == true
        let name = PageSessions.cookie(host: host, isSecure: isSecure)
        guard exchange.method == "POST" else { return answer(Self.empty(Self.cookie(name, "", seconds: 0, isSecure))) }
        guard let token = (try? JSON(parsing: exchange.body))?["token"]?.string, !token.isEmpty else {
            return answer(.failure(400, .invalidParams(path: "token", value: nil, expected: "a JSON object with the token as a text")))
        }
        // Without tokens of the operator, everybody may do everything.
        guard door.isGuarded else { return answer(Self.empty([])) }
        do throws(TintypeError) {
            let value = try door.beginSession(Session(exchange, peer: "http"), token, in: name)
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
