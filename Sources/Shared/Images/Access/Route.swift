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
