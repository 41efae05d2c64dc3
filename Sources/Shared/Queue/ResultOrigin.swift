package import TintypeCore
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

/// How long a result is wanted. A greater value is a longer time.
package enum ResultTime: Sendable, Hashable, Comparable {
    /// The result is not kept.
    case unkept
    /// No other client gets the result, but its URL works for a minute.
    case bytesOnly
    /// For as long as the source is fresh.
    case whileFresh
    case seconds(Double)

    /// The shortest time that a request can ask for, in seconds.
    package static let shortest = 0.003

    /// - Parameter seconds: 0 for `unkept`.
    package init(seconds: Double) { self = seconds > 0 ? .seconds(max(seconds, Self.shortest)) : .unkept }

    /// The time in seconds, if it is one.
    package var seconds: Double? {
        switch self {
        case .unkept, .bytesOnly, .whileFresh: nil
        case .seconds(let seconds): seconds
        }
    }

    /// The word for the scripts: `bytes`, `fresh`, or milliseconds.
    var word: String {
        switch self {
        case .unkept: "0"
        case .bytesOnly: "bytes"
        case .whileFresh: "fresh"
        case .seconds(let seconds): String(Queue.milliseconds(seconds))
        }
    }

    package init?(word: String) {
        switch word {
        case "bytes": self = .bytesOnly
        case "fresh": self = .whileFresh
        default:
            guard let milliseconds = Int64(word) else { return nil }
            self = ResultTime(seconds: Double(milliseconds) / 1000)
        }
    }
}

extension ResultTime: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    package init(floatLiteral seconds: Double) { self.init(seconds: seconds) }

    package init(integerLiteral seconds: Int) { self.init(seconds: Double(seconds)) }
}

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
