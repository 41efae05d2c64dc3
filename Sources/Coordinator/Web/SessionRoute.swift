import TintypeCore
import TintypeTransport
import TintypeImages

/// `POST /session` exchanges a token for a cookie, which the dashboard's requests bring in its place; `DELETE /session` ends it.
///
/// Scripts cannot read the cookie. Browsers send it only for pages of the same site, and it counts only for pages of the same origin (`PageOrigin`).
@Loop
final class SessionRoute {
    private let door: AccessControl

    init(_ door: AccessControl) { self.door = door }

    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        if let stranger = PageOrigin.stranger(origin: exchange.header("Origin"), site: exchange.header("Sec-Fetch-Site"), host: exchange.header("Host")) {
            return answer(.failure(403, PageOrigin.denied(stranger)))
        }
        let isSecure = exchange.header("Origin")?.lowercased().hasPrefix("https://") == true
        guard exchange.method == "POST" else {
            PageSessions.id(in: exchange.header("Cookie")).map(door.endSession)
            return answer(Self.empty(Self.cookie("", seconds: 0, isSecure)))
        }
        guard let token = (try? JSON(parsing: exchange.body))?["token"]?.string, !token.isEmpty else {
            return answer(.failure(400, .invalidParams(path: "token", value: nil, expected: "a JSON object with the token as a text")))
        }
        // Without tokens of the operator, everybody may do everything.
        guard door.isGuarded else { return answer(Self.empty([])) }
        do throws(TintypeError) {
            let id = try door.beginSession(Session(exchange, peer: "http"), token)
            answer(Self.empty(Self.cookie(id, seconds: Int(PageSessions.lifetime), isSecure)))
        } catch {
            answer(error.name == .unauthenticated ? .failure(401, error) : .refused(error))
        }
    }

    private static func empty(_ headers: [(String, String)]) -> WebAnswer { WebAnswer(status: 204, headers: [("Cache-Control", "no-store")] + headers) }

    private static func cookie(_ value: String, seconds: Int, _ isSecure: Bool) -> [(String, String)] {
        [("Set-Cookie", "\(PageSessions.cookie)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : ""))]
    }
}
