import TintypeCore
package import TintypeImages

/// Where the source of a result came from, as the result says it: `from`, `notModified`, and `updated` if its origin was asked on purpose.
package struct ResultOrigin: Sendable, Hashable {
    /// The places that a result comes from.
    package enum Place: String, Sendable, CaseIterable {
        /// Its origin.
        case remote
        case sources, results, memory
        /// It stands in for one that could not be loaded.
        case fallback

        package init(_ tier: CacheTier) {
            switch tier {
            case .memory: self = .memory
            case .results: self = .results
            case .sources: self = .sources
            }
        }
    }

    package var from: Place
    /// Its origin was asked and has said, or shown, that nothing has changed.
    package var isNotModified = false
    package var isUpdated: Bool?

    package static let remote = ResultOrigin(from: .remote)

    package init(from: Place) { self.from = from }

    /// Writes the members of a result.
    func write(to text: inout JSONWriter) {
        text.raw("\"from\":")
        text.string(from.rawValue)
        text.raw(",\"notModified\":")
        text.bool(isNotModified)
        guard let isUpdated else { return }
        text.raw(",\"updated\":")
        text.bool(isUpdated)
    }
}
