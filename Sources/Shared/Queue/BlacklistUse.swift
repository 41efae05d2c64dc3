/// How a receipt uses the blacklist of failed sources.
package enum BlacklistUse: Sendable, Hashable {
    /// The receipt is refused while its source is blacklisted, and its failure may blacklist the source.
    /// - Parameter decodes: false if the receipt can use bytes that are no whole picture. An entry about pictures only does not refuse it then.
    case on(decodes: Bool)
    /// The receipt neither reads the blacklist nor adds to it.
    case off
    /// The receipt does not read the blacklist. Its success removes the source from the blacklist, its failure adds the source.
    case retry

    /// The word for the scripts; nil for the default.
    var word: String? {
        switch self {
        case .on(let decodes): decodes ? nil : "bytes"
        case .off: "off"
        case .retry: "clear"
        }
    }
}
