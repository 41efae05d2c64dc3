import TintypeCore
import TintypeTransport
import TintypeImages

/// The facts of an HTTP request that decide who may use a route.
struct WebVisit {
    let method: String
    let path: String
    /// Returns the value of a header. Only headers that matter are looked up.
    let header: (String) -> String?
    /// Returns the rights of its token; nil for an unauthenticated client where a token is required.
    let grant: () -> AccessGrant?
}

/// The decision about a request, before any work for it. Pure.
///
/// A foreign page has no token, so `Host` and the page are checked only where no token is required. Pictures may be read from any page, because
/// other pages may show them. But a `Host` that could be the page's own name is refused, because that page could then read the bytes.
enum WebVerdict<Action: Sendable>: Sendable {
    case serve(Route<Action>)
    /// 403.
    case forbidden(TintypeError)
    /// 401.
    case unauthenticated
    /// 405.
    case otherMethods(allowed: String)
    /// 404.
    case nothing

    /// - Parameters:
    ///   - isGuarded: Whether a token is required.
    ///   - hosts: The names of this service.
    init(_ visit: WebVisit, _ table: RouteTable<Action>, isGuarded: Bool, hosts: AllowedHosts) {
        let match = table.match(visit.method, visit.path)
        let (access, pages) =
            switch match {
            case .route(let route): (route.access, route.pages)
            case .otherMethods(_, let beside): (beside.access, RoutePages(for: visit.method))
            case .nothing: (RouteAccess.token(.load), RoutePages(for: visit.method))
            }
        if !isGuarded || access == .open, let refusal = Self.refusal(visit, pages, hosts) {
            self = .forbidden(refusal)
            return
        }
        do throws(TintypeError) {
            if case .token = access {
                guard let grant = visit.grant() else {
                    self = .unauthenticated
                    return
                }
                if case .route(let route) = match { try route.check(grant, for: visit.method) }
            }
            switch match {
            case .route(let route): self = .serve(route)
            case .otherMethods(let allowed, _): self = .otherMethods(allowed: allowed)
            case .nothing: self = .nothing
            }
        } catch {
            self = .forbidden(error)
        }
    }

    private static func refusal(_ visit: WebVisit, _ pages: RoutePages, _ hosts: AllowedHosts) -> TintypeError? {
        let host = visit.header("Host")
        guard hosts.answers(to: host) else { return AllowedHosts.refusal }
        switch pages {
        case .any: return nil
        case .own: return PageOrigin.refusal(origin: visit.header("Origin"), site: visit.header("Sec-Fetch-Site"), host: host, own: hosts)
        }
    }
}
