package import TintypeCore

/// An event of a running fetch, for all its receipts: `response`, `progress`, `preview`, `cached`.
package struct FetchEvent: Sendable, Hashable {
    package var type: EventType
    /// Members of the event besides receipt, seq, type, at, queue. A `phase` in a progress event is remembered.
    package var body: JSONObject

    package init(type: EventType, body: JSONObject) {
        self.type = type
        self.body = body
    }
}

/// What became of one rendition.
package struct RenditionOutcome: Sendable, Hashable {
    package enum Result: Sendable, Hashable {
        /// - Parameters:
        ///   - info: RenditionInfo without `name`, which the queue adds.
        ///   - source: SourceInfo.
        ///   - description: what was asked for by `describe`, if anything.
        ///   - ttlSeconds: how long the result index may answer with it; what is less than `Submission.shortest` is said as it was asked: not at all.
        case success(info: JSONObject, source: JSONObject, description: JSONObject?, ttlSeconds: Double)
        /// Ends the receipts that want it. Renditions are not retried: the worker has tried what there is to try.
        case failure(TintypeError)
    }

    package var digest: String
    package var result: Result
    /// Puts the source on the blacklist, of which this failure is the fault.
    package var listing: BlacklistListing?

    package init(_ digest: String, _ result: Result, listing: BlacklistListing? = nil) {
        self.digest = digest
        self.result = result
        self.listing = listing
    }
}

/// How a run ended.
package enum FetchOutcome: Sendable, Hashable {
    /// The download came through. Renditions reported before need not be repeated, but may be.
    /// - Parameters:
    ///   - metrics: seconds by name; the queue adds `queued` and `total` for each receipt.
    ///   - from: where the source came from.
    case success(metrics: JSONObject, [RenditionOutcome], from: ResultOrigin = .remote)
    /// The fetch as a whole failed: tried again if the error is retryable and attempts are left, not before `retryAfter` seconds.
    case failure(TintypeError, retryAfter: Double?)
    /// Stopped. If receipts are left, another worker may have it.
    case cancelled
}
