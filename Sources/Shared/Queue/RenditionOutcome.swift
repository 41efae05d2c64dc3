package import TintypeCore

/// An event of a running fetch, for all its receipts: `response`, `progress`, `preview`, `cached`.
package struct FetchEvent: Sendable, Hashable {
    package var type: EventType
    /// The members of the event besides receipt, seq, type, at and queue. Redis keeps the `phase` of a progress event.
    package var body: JSONObject

    package init(type: EventType, body: JSONObject) {
        self.type = type
        self.body = body
    }
}

/// The outcome of one rendition.
package struct RenditionOutcome: Sendable, Hashable {
    package enum Result: Sendable, Hashable {
        /// - Parameters:
        ///   - info: RenditionInfo without `name`, which the queue adds.
        ///   - source: SourceInfo.
        ///   - description: the answer to `describe`, if the request has one.
        ///   - time: how long the result index may answer with it. The index keeps no result whose time is not in seconds.
        case success(info: JSONObject, source: JSONObject, description: JSONObject?, time: ResultTime)
        /// Ends the receipts that want the rendition. Renditions are not retried: the worker has tried everything.
        case failure(TintypeError)
    }

    package var digest: String
    package var result: Result
    /// The entry that puts the source on the blacklist, if the failure is the fault of the source.
    package var listing: BlacklistListing?

    package init(_ digest: String, _ result: Result, listing: BlacklistListing? = nil) {
        self.digest = digest
        self.result = result
        self.listing = listing
    }
}

/// The end of a run.
package enum FetchOutcome: Sendable, Hashable {
    /// The download succeeded. Renditions that were already reported need not be repeated, but may be.
    /// - Parameters:
    ///   - metrics: seconds by name. The queue adds `queued` and `total` for each receipt.
    ///   - from: the place that the source came from.
    case success(metrics: JSONObject, [RenditionOutcome], from: ResultOrigin = .remote)
    /// The whole fetch failed. It is retried if the error is retryable and attempts are left, but not before `retryAfter` seconds.
    case failure(TintypeError, retryAfter: Double?)
    /// The run was stopped. If receipts are left, another worker may run the fetch.
    case cancelled
}
