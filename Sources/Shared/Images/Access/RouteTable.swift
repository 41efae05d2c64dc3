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
