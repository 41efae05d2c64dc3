/// What a receipt has to do with the blacklist of failed sources.
package enum BlacklistUse: Sendable, Hashable {
    /// Refused while its source is listed, and a failure may list it.
    /// - Parameter decodes: false if it can do with bytes that are no whole picture: what only spoils pictures does not refuse it.
    case on(decodes: Bool)
    /// Neither asked nor added to.
    case off
    /// Not asked; a success takes the source off the list, a failure puts it there.
    case retry

    /// As the scripts write it.
    var letter: String {
        switch self {
        case .on(let decodes): decodes ? "2" : "1"
        case .off: "0"
        case .retry: "r"
        }
    }
}
