/// The clients that may use an HTTP route.
package enum RouteAccess: Sendable, Hashable {
    /// Everybody. The route never requires a token.
    case open
    /// Everybody. The handler checks the token itself.
    case optionalToken
    /// Clients with a token of this role, where tokens are required.
    case token(AccessRole)
}

/// The web pages that may use a route in a browser, where no token is required.
package enum RoutePages: Sendable, Hashable {
    case any
    /// Only pages of this service.
    case own

    /// The default for a method: any page may show content that is only read.
    package init(for method: String) { self = method == "GET" || method == "HEAD" ? .any : .own }
}
