/// Everything that an HTTP port serves. The order of its rows decides nothing but what `Allow` names first. Pure.
package struct RouteTable<Action: Sendable>: Sendable {
    /// What the table has for a request.
    package enum Match: Sendable {
        case route(Route<Action>)
        /// The path is there, and takes other methods: those, as `Allow` names them. A row of that path comes along.
        case otherMethods(allowed: String, beside: Route<Action>)
        case nothing
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

    /// The name in metrics of what lies at a path; nil where nothing does.
    package func name(of path: String) -> String? { routes.first { $0.path.contains(path) }?.name }
}
