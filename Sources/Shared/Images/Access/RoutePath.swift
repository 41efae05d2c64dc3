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
