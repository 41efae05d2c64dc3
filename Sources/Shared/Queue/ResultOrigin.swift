import TintypeCore
package import TintypeImages

/// The place that the source of a result came from, as the result shows it: `from`, `notModified`, and `updated` if the client asked for revalidation.
package struct ResultOrigin: Sendable, Hashable {
    /// The places that a result may come from.
    package enum Place: String, Sendable, CaseIterable {
        /// The origin.
        case remote
        case sources, results, memory
        /// A fallback replaces a result that could not be loaded.
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
    /// The origin was asked and has shown that nothing has changed.
    package var isNotModified = false
    package var isUpdated: Bool?

    package static let remote = ResultOrigin(from: .remote)

    package init(from: Place) { self.from = from }

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
