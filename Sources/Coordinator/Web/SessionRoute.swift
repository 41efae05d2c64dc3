import TintypeCore
import TintypeTransport
import TintypeImages

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
