import TintypeCore
import TintypeTransport
import TintypeImages

/// A request for the HTTP port, as far as it depends on it who may use a route.
struct WebVisit {
    let method: String
    let path: String
    /// The value of a header, which is looked up only where it counts.
    let header: (String) -> String?
    /// The rights of its token; nil for who has shown none where tokens are asked for.
    let grant: () -> AccessGrant?
}

/// The decision over a request, before anything is done for it. Pure.
///
/// A token is something that no stranger's page has, so `Host` and pages are looked at only where no token is asked for. Whoever only reads
/// pictures is let in by whatever page asks: other pages may show them. But under a name that could be a page's own, that page could read them.
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
    ///   - isGuarded: whether tokens are asked for.
    ///   - hosts: the names that are this service.
    init(_ visit: WebVisit, _ table: RouteTable<Action>, isGuarded: Bool, hosts: OwnHosts) {
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

    private static func refusal(_ visit: WebVisit, _ pages: RoutePages, _ hosts: OwnHosts) -> TintypeError? {
        let host = visit.header("Host")
        guard hosts.answers(to: host) else { return OwnHosts.refusal }
        switch pages {
        case .any: return nil
        case .own: return PageOrigin.refusal(origin: visit.header("Origin"), site: visit.header("Sec-Fetch-Site"), host: host, own: hosts)
        }
    }
}
