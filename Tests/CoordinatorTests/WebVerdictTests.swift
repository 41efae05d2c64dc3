import TintypeCore
import TintypeTransport
import TintypeImages
import Testing

@testable import Coordinator

/// The decision about requests, without a server.
@Suite struct WebVerdictTests {
    private static let table = RouteTable([
        Route("pictures", ["GET", "HEAD"], .below("/p/", name: "NAME"), .token(.load), maxBody: 0, 1),
        Route("pictures", ["PUT"], .below("/p/", name: "NAME"), .token(.put), maxBody: 9, 2),
        Route("health", ["GET"], .exact("/health"), .open, maxBody: 0, 3),
        Route("page", ["GET"], .exact("/page"), .token(.admin), pages: .own, maxBody: 0, 4),
        Route("calls", ["POST"], .exact("/calls"), .optionalToken, maxBody: 9, 5),
    ])

    private static func grant(_ role: AccessRole?) -> AccessGrant? { role.map { AccessGrant(role: $0, client: .anyone) } }

    private static func word(
        _ method: String, _ path: String, _ role: AccessRole? = nil, isGuarded: Bool = true, headers: [String: String] = [:]
    ) -> String {
        let hosts = AllowedHosts()
        let verdict = WebVerdict(
            method, table.match(method, path), isOurs: hosts.answers(to: headers["Host"]), isGuarded: isGuarded, hosts: hosts, header: { headers[$0] },
            grant: { grant(isGuarded ? role : .admin) })
        return switch verdict {
        case .serve(let route): "\(route.action)"
        case .forbidden(let error): "forbidden: \(error.message)"
        case .unauthenticated: "unauthenticated"
        case .otherMethods(let allowed): allowed
        case .nothing: "nothing"
        }
    }

    static let roles: [(method: String, path: String, role: AccessRole?, verdict: String)] = [
        ("GET", "/p/a", .load, "1"), ("GET", "/p/a", nil, "unauthenticated"), ("PUT", "/p/a", .put, "2"), ("PUT", "/p/a", nil, "unauthenticated"),
        ("DELETE", "/p/a", .load, "GET, HEAD, PUT"), ("DELETE", "/p/a", nil, "unauthenticated"), ("GET", "/health", nil, "3"),
        ("HEAD", "/health", nil, "GET"), ("GET", "/page", .admin, "4"), ("POST", "/calls", nil, "5"), ("GET", "/calls", nil, "POST"),
        ("GET", "/p", .load, "nothing"), ("GET", "/p", nil, "unauthenticated"), ("GET", "/health/", .load, "nothing"),
    ]

    @Test(arguments: roles) func `a token of the required role is admitted`(method: String, path: String, role: AccessRole?, verdict: String) {
        #expect(Self.word(method, path, role) == verdict)
    }

    @Test func `a token of a lower role is told the required role`() {
        #expect(Self.word("PUT", "/p/a", .load).hasPrefix("forbidden: PUT /p/NAME needs a token of the role put"))
        #expect(Self.word("GET", "/page", .put).hasPrefix("forbidden: GET /page needs a token of the role admin"))
    }

    static let pages: [(method: String, path: String, isGuarded: Bool, isRefused: Bool)] = [
        ("GET", "/p/a", false, false), ("PUT", "/p/a", false, true), ("DELETE", "/p/a", false, true), ("GET", "/page", false, true),
        ("GET", "/health", false, false), ("POST", "/health", true, true), ("POST", "/calls", false, true), ("POST", "/calls", true, false),
        ("PUT", "/p/a", true, false), ("POST", "/nothing", false, true), ("GET", "/nothing", false, false), ("GET", "/page", true, false),
    ]

    @Test(arguments: pages)
    func `a foreign page is refused where the route says so and no token is required`(method: String, path: String, isGuarded: Bool, isRefused: Bool) {
        let headers = ["Host": "127.0.0.1", "Origin": "https://evil.example"]
        let word = Self.word(method, path, .admin, isGuarded: isGuarded, headers: headers)
        #expect(word.contains("a page of another origin") == isRefused, "\(word)")
    }

    @Test func `a foreign host name is refused wherever no token is required`() {
        let headers = ["Host": "evil.example"]
        for path in ["/p/a", "/health", "/page", "/calls", "/nothing"] {
            #expect(Self.word("GET", path, isGuarded: false, headers: headers).hasPrefix("forbidden: this service does not answer"), "\(path)")
            let isOpen = path == "/health"
            #expect(Self.word("GET", path, .admin, headers: headers).hasPrefix("forbidden") == isOpen, "\(path)")
        }
    }
}
