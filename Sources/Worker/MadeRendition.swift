import Shared

/// A rendition that was made or has failed, with what is needed to store it once more for longer.
struct MadeRendition: Sendable {
    /// What lies in the store, or would if it were to be kept.
    struct Picture: Sendable {
        let bytes: [UInt8]
        let info: RenditionInfo
        let source: SourceInfo
        /// How long, in seconds, the other pictures in it are good.
        let freshSeconds: Double
    }

    var outcome: RenditionOutcome
    /// nil for failures and probes.
    var picture: Picture?

    var hasFailed: Bool { if case .failure = outcome.result { true } else { false } }
}
