import TintypeImages
import TintypeQueue

/// What the other pictures in a rendition mean for how long it is good. A pure value.
struct OtherPictures: Sendable {
    /// Epoch seconds until which all of them are fresh.
    var freshUntil = Double.infinity
    /// Epoch seconds when the oldest of them came.
    var storedAt = Double.infinity
}

/// A rendition that was made or has failed, with what is needed to store it once more for longer.
struct MadeRendition: Sendable {
    /// What lies in the store, or would if it were to be kept.
    struct Picture: Sendable {
        let bytes: [UInt8]
        let info: RenditionInfo
        let source: SourceInfo
        let others: OtherPictures
    }

    var outcome: RenditionOutcome
    /// nil for failures and probes.
    var picture: Picture?
    /// Whether no decoder took the bytes of the source.
    var isSourceSpoiled = false

    var hasFailed: Bool { if case .failure = outcome.result { true } else { false } }
}
