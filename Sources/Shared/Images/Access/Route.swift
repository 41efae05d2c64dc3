package import TintypeCore

/// One row in the route table of an HTTP port: the methods of a path, their access, and the longest body. Pure. A class, so that a match for each
/// request copies nothing.
package final class Route<Action: Sendable>: Sendable {
    /// Its name in metrics.
    package let name: String
    /// In the order in which `Allow` names them.
    package let methods: [String]
    package let path: RoutePath
    package let access: RouteAccess
    package let pages: RoutePages
    /// Whether its requests count for the limits of a client.
    package let isCounted: Bool
    /// Whether its requests have spans in traces.
    package let isTraced: Bool
    /// The longest body, in bytes.
    package let maxBody: Int
    /// The code that serves it.
    package let action: Action

    /// - Parameter pages: nil for the default of the first method.
    package init(
        _ name: String, _ methods: [String], _ path: RoutePath, _ access: RouteAccess, pages: RoutePages? = nil, isCounted: Bool = false,
        isTraced: Bool = false,
        maxBody: Int, _ action: Action
    ) {
        (self.name, self.methods, self.path, self.access, self.maxBody, self.action) = (name, methods, path, access, maxBody, action)
        self.pages = pages ?? RoutePages(for: methods.first ?? "")
        (self.isCounted, self.isTraced) = (isCounted, isTraced)
    }

    /// - Throws: `forbidden` if the role of a token is too low.
    package func check(_ grant: AccessGrant, for method: String) throws(TintypeError) {
        guard case .token(let role) = access else { return }
        try grant.check(role, for: "\(method) \(path)")
    }
}

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

/// The place of a route on an HTTP port.
package enum RoutePath: Sendable, Hashable, CustomStringConvertible {
    case exact(String)
    /// Everything that begins with the prefix. The name stands for the remainder where the path is shown.
    case below(String, name: String)

    package func contains(_ path: String) -> Bool {
        switch self {
        case .exact(let own): path == own
        case .below(let prefix, _): path.utf8.starts(with: prefix.utf8)
        }
    }

    package var description: String {
        switch self {
        case .exact(let path): path
        case .below(let prefix, let name): prefix + name
        }
    }
}

/// All routes of an HTTP port. The order of the rows only decides the order of methods in `Allow`. Pure.
package struct RouteTable<Action: Sendable>: Sendable {
    /// The answer of the table to a request.
    package enum Match: Sendable {
        case route(Route<Action>)
        /// The path exists with other methods: these, in the order of `Allow`. One row of the path comes along.
        case otherMethods(allowed: String, beside: Route<Action>)
        case nothing

        /// A route of the path; nil if there is none.
        package var route: Route<Action>? {
            switch self {
            case .route(let route), .otherMethods(_, let route): route
            case .nothing: nil
            }
        }
    }

    package let routes: [Route<Action>]

    /// - Precondition: no two rows take the same method of the same path.
    package init(_ routes: [Route<Action>]) {
        for (index, route) in routes.enumerated() {
            let isAlone = !routes[..<index].contains { $0.path == route.path && !Set($0.methods).isDisjoint(with: route.methods) }
            precondition(isAlone, "two routes for \(route.path)")
        }
        self.routes = routes
    }

    package func match(_ method: String, _ path: String) -> Match {
        var beside: Route<Action>?
        for route in routes where route.path.contains(path) {
            if route.methods.contains(method) { return .route(route) }
            beside = beside ?? route
        }
        guard let beside else { return .nothing }
        let allowed = routes.filter { $0.path == beside.path }.flatMap(\.methods)
        return .otherMethods(allowed: allowed.joined(separator: ", "), beside: beside)
    }

    /// Returns the metric name of a path; nil for an unknown path.
    package func name(of path: String) -> String? { routes.first { $0.path.contains(path) }?.name }
}
