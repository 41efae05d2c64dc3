import TintypeCore
import TintypeImages
import TintypeQueue

/// The freshness that the other pictures of a rendition allow. A pure value.
struct LayerFreshness: Sendable {
    /// The epoch seconds until which all of them are fresh.
    var freshUntil = Double.infinity
    /// The epoch seconds when the oldest of them came.
    var storedAt = Double.infinity
    /// The limits of all of them for caches in front of this service.
    var limits = CacheLimits()

    init() {}

    /// One of them.
    init(_ layer: LoadedSource) { (freshUntil, storedAt, limits) = (layer.freshUntil, layer.storedAt, layer.limits) }

    mutating func add(_ other: LayerFreshness) {
        (freshUntil, storedAt) = (min(freshUntil, other.freshUntil), min(storedAt, other.storedAt))
        limits = limits.joined(other.limits)
    }
}

/// A rendition that was made or has failed, with the bytes that are needed to store it again for longer.
struct MadeRendition: Sendable {
    /// The picture as the store keeps it, or would keep it.
    struct Picture: Sendable {
        let bytes: [UInt8]
        let info: RenditionInfo
        let source: SourceInfo
        /// The freshness that the other pictures in it allow.
        var others = LayerFreshness()
        /// The operations that were applied (`Rendition.shownOperations`); nil: none.
        var operations: JSON?
    }

    var outcome: RenditionOutcome
    /// nil for failures and probes.
    var picture: Picture?
    /// Whether no decoder could read the bytes of the source.
    var isSourceSpoiled = false

    var hasFailed: Bool { if case .failure = outcome.result { true } else { false } }
}
