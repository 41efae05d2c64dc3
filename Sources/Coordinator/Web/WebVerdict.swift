import TintypeCore
import TintypeTransport
import TintypeImages

/// The decision about a request, before any work for it. Pure.
///
/// A foreign page has no token, and the browser's cookie and certificate do not count for it (`AccessControl`). So `Host` and the page are checked here only
/// where no token is required. Pictures may be read from any page, because other pages may show them. But a `Host` that could be the page's own name is
/// refused, because that page could then read the bytes.
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
    ///   - match: The answer of the routes to its method and path.
    ///   - isOurs: Whether this service answers to its `Host` (`AllowedHosts.answers`).
    ///   - isGuarded: Whether a token is required.
    ///   - hosts: The names of this service.
    ///   - header: Returns the value of a header. Only headers that matter are looked up.
    ///   - grant: Returns the rights of its token; nil for an unauthenticated client. Asked only if a token is required.
    init(
        _ method: String, _ match: RouteTable<Action>.Match, isOurs: Bool, isGuarded: Bool, hosts: AllowedHosts, header: (String) -> String?,
        grant: () -> AccessGrant?
    ) {
        let access = match.route?.access ?? .token(.load)
        if !isGuarded || access == .open {
            guard isOurs else {
                self = .forbidden(AllowedHosts.refusal)
                return
            }
            let pages = if case .route(let route) = match { route.pages } else { RoutePages(for: method) }
            if pages == .own,
                let refusal = PageOrigin.refusal(origin: header("Origin"), site: header("Sec-Fetch-Site"), host: header("Host"), own: hosts)
            {
                self = .forbidden(refusal)
                return
            }
        }
        do throws(TintypeError) {
            if isGuarded, case .token = access {
                guard let grant = grant() else {
                    self = .unauthenticated
                    return
                }
                if case .route(let route) = match { try route.check(grant, for: method) }
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
}
