package import TintypeCore

/// One row in the table of an HTTP port: methods of a path, who may use them, and how long a body they take. Pure.
package struct Route<Action: Sendable>: Sendable {
    /// Its name in metrics.
    package let name: String
    /// In the order in which `Allow` names them.
    package let methods: [String]
    package let path: RoutePath
    package let access: RouteAccess
    package let pages: RoutePages
    /// The longest body, in bytes.
    package let maxBody: Int
    /// The code that serves it.
    package let action: Action

    /// - Parameter pages: nil for the usual rule of its first method.
    package init(_ name: String, _ methods: [String], _ path: RoutePath, _ access: RouteAccess, pages: RoutePages? = nil, maxBody: Int, _ action: Action) {
        (self.name, self.methods, self.path, self.access, self.maxBody, self.action) = (name, methods, path, access, maxBody, action)
        self.pages = pages ?? RoutePages(for: methods.first ?? "")
    }

    /// - Throws: `forbidden` where the role of a token is not enough.
    package func check(_ grant: AccessGrant, for method: String) throws(TintypeError) {
        guard case .token(let role) = access else { return }
        try grant.check(role, for: "\(method) \(path)")
    }
}
