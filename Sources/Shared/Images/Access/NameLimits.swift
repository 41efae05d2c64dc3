package import TintypeCore

/// The limits of one name in the file of `--token-file`. They hold for all tokens and certificates of the name together. A pure value.
package struct NameLimits: Sendable, Hashable {
    /// The limits by their words in the file, in errors and in metrics.
    package enum Kind: String, Sendable, CaseIterable { case perSecond, running, queued }

    /// The requests a second at all coordinators together, on average; nil: any number.
    package var perSecond: Double?
    /// The requests that may come at once after a rest; nil: those of one second, and at least one. Only beside `perSecond`.
    package var burst: Int?
    /// The most open receipts at one coordinator; nil: any number.
    package var running: Int?
    /// The most requests that wait at one coordinator for a place among the running ones; nil: none. Only beside `running`.
    package var queued: Int?
    /// The most bytes of uploads that one coordinator keeps for the name; nil: any number.
    package var uploads: Int?

    /// No limits.
    package static let unlimited = NameLimits()

    /// The `burst` in force.
    package var wholeBurst: Int { burst ?? max(1, Int(clamping: Int64((perSecond ?? 1).rounded(.up)))) }

    /// The limits as `system.info` shows them; nil without any.
    package var json: JSONObject? {
        var members = JSONObject()
        if let perSecond { (members["perSecond"], members["burst"]) = (JSON(perSecond), JSON(wholeBurst)) }
        if let running { (members["running"], members["queued"]) = (JSON(running), JSON(queued ?? 0)) }
        members["uploads"] = uploads.map { JSON($0) }
        return members.isEmpty ? nil : members
    }

    /// Returns the error for a request beyond a limit.
    /// - Parameter retryAfter: the seconds after which the limit may have room.
    package func refusal(_ kind: Kind, of name: String, retryAfter: Double) -> TintypeError {
        // Whole milliseconds, rounded up: a client that waits so long comes in time.
        let seconds = max(0.001, (retryAfter * 1000).rounded(.up) / 1000)
        let (what, allowed): (String, JSON) =
            switch kind {
            case .perSecond: ("sends more than \(JSON(perSecond ?? 0).text) requests a second", JSON(perSecond ?? 0))
            case .running: ("has \(running ?? 0) requests running here", JSON(running ?? 0))
            case .queued: ("has \(running ?? 0) requests running here and \(queued ?? 0) waiting", JSON(queued ?? 0))
            }
        return TintypeError(
            .overloaded, .admission,
            "the client \(name) \(what), which is its limit (\(kind.rawValue)): try again in \(JSON(seconds).text) s",
            details: ["limit": .string(kind.rawValue), "allowed": allowed, "client": .string(name), "retryAfter": JSON(seconds)])
    }
}

extension NameLimits {
    /// Returns the error for an upload that is larger than all uploads of the name may be.
    package func refusal(upload bytes: Int, of name: String) -> TintypeError {
        let allowed = uploads ?? 0
        return TintypeError(
            .limitExceeded, .admission,
            "the upload has \(bytes) bytes, and all uploads of the client \(name) may have \(allowed), which is its limit (uploads); send a smaller one",
            details: ["limit": "uploads", "value": JSON(bytes), "allowed": JSON(allowed)])
    }
}

extension TintypeError {
    /// The seconds after which a client may try again that is at a limit of its own, of its name or its address. Over HTTP the status is 429 then.
    /// nil for any other error.
    package var ownLimitSeconds: Double? {
        guard name == .overloaded, details["limit"] != nil else { return nil }
        return details["retryAfter"]?.double
    }
}
