/// Who may use a route of HTTP.
package enum RouteAccess: Sendable, Hashable {
    /// Everybody: no token is asked for, ever.
    case open
    /// Everybody reaches it; what serves it looks at the token itself.
    case servesStrangers
    /// Whoever has shown a token of this role, where tokens are asked for.
    case token(AccessRole)
}

/// The pages in a browser that may use a route of HTTP where no token is asked for.
package enum RoutePages: Sendable, Hashable {
    case any
    /// Pages of this service alone.
    case own

    /// The usual rule for a method: whatever page asks may show what is only read.
    package init(for method: String) { self = method == "GET" || method == "HEAD" ? .any : .own }
}
