package import TintypeCore
package import TintypeImages

/// What became of a submission.
package enum SubmitAnswer: Sendable, Hashable {
    /// In the queue, by a fetch of its own or by one it has joined. `position` counts from 0 and is nil unless queued.
    case queued(state: ReceiptState, position: Int?, joined: Bool)
    /// Ended at once: answered by the result index, or the same receipt had ended before.
    case finished(Ending)
    /// The same receipt is live already; its events now go to the coordinator that asked. `seq`: of the last one before.
    case again(state: ReceiptState, position: Int?, seq: Int)
    /// The index has these results, and nothing was done: to be submitted as verified once their bytes are known to be there.
    case indexed([Indexed])
    /// The blacklist refuses it with this error, and nothing was done: to be submitted for the caches alone, or without asking.
    case listed(JSON)
    /// The receipt id is known with another request, or belongs to another queue.
    case mismatch
    /// `maxQueued` fetches wait already.
    case full(retryAfterSeconds: Double)
    /// There is no queue of this name.
    case unknownQueue
}

/// A result that the index speaks of.
package struct Indexed: Sendable, Hashable {
    package let digest: String
    /// Of its bytes, in hexadecimal; nil if the index does not say.
    package let sha256: String?

    package init(_ digest: String, sha256: String?) {
        self.digest = digest
        self.sha256 = sha256
    }
}

/// A run that a worker holds: the token fences off everybody else, and this worker too once it has lost the run.
package struct Held: Sendable, Hashable {
    package let fetch: String
    package let token: Int64

    package init(fetch: String, token: Int64) {
        self.fetch = fetch
        self.token = token
    }
}

/// A rendition a worker has to make.
package struct OwedRendition: Sendable, Hashable {
    package let digest: String
    /// Canonical JSON of the rendition.
    package let json: String

    package init(digest: String, json: String) {
        self.digest = digest
        self.json = json
    }

    /// Whether its JSON may have a member `accept`. Looks at bytes: a search by characters would cost more than to read the JSON.
    package var mayNameAcceptance: Bool { mayName("\"accept\"") }

    /// Whether a picture is made of it, or looked at: its JSON names no other mode (`Rendition.Mode`).
    package var isPicture: Bool { !mayName("\"as\"") || (try? JSON(parsing: json))?["as"] == nil }

    private func mayName(_ member: String) -> Bool {
        let name = member.utf8
        var rest = json.utf8[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[mark...]
            if rest.starts(with: name) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// A fetch handed to a worker.
package struct ClaimedFetch: Sendable, Hashable {
    package var held: Held
    /// From 1; runs that were given back do not count.
    package var attempt: Int
    package var host: String
    /// Canonical JSON of the fetch. It may hold secrets: never log it.
    package var fetch: String
    package var renditions: [OwedRendition]
    /// The least time between two reports of `response` and `progress`, the finest that anybody asked for; nil: nobody asked for any.
    /// A `ControlMessage` or a beat may name another later.
    package var progressInterval: Duration?
    package var wantsProgress: Bool { progressInterval != nil }
    package var queuedSeconds: Double
    /// Until the last deadline among its receipts. The reaper ends receipts; this is for the worker's own timeouts.
    package var deadlineSeconds: Double
    /// The most generous of all who had joined by then; nil: those of the fetch.
    package var timeouts: FetchOptions.Timeouts?
    /// How long to keep the results, in seconds; 0: not at all. Whoever joins meanwhile may ask for more.
    package var resultTTL: Double
    /// Whether anybody who had joined by then wants its source to be kept.
    package var keepsSource: Bool
    /// Hosts of its mirrors that are held, and for how many seconds more: it waited for another one, and these are not to be asked either.
    package var resting: [String: Double]
}

package struct ClaimAnswer: Sendable, Hashable {
    package var fetches: [ClaimedFetch]
    /// When the next delayed fetch falls due: sleep no longer than this. nil if none waits.
    package var nextDueMilliseconds: Int?
}

/// What a beat brings back: everything a lost message might have said.
package struct BeatAnswer: Sendable, Hashable {
    /// Fetches this worker no longer holds: stop, and do not finish them.
    package var lost: [String]
    /// Fetches nobody wants any more: stop, and finish them as cancelled.
    package var cancelled: [String]
    /// Fetches somebody wants progress of, with the least time between two reports.
    package var watched: [String: Duration]
    /// Fetches whose places other clients wait for: give them back, unless they have loaded all that they need.
    package var yielding: [String]
    /// Whether this worker is to take nothing new.
    package var isQuiet: Bool
}

package enum ProgressAnswer: Sendable, Hashable {
    case ok
    /// Still this run's, and somebody wants previews.
    case previews(PreviewOptions)
    /// Another run's by now: stop, and do not finish it.
    case stale
    /// Nobody wants it any more: stop, and finish it as cancelled.
    case cancel
}

package enum RenditionAnswer: Sendable, Hashable {
    case ok
    /// As those of `ProgressAnswer`.
    case stale, cancel
    /// Somebody who joined asks to keep it longer than it was stored for: store it again, then report it again. Nothing was changed.
    case keepLonger(seconds: Double)
}

package enum FinishAnswer: Sendable, Hashable {
    case done
    /// It was withdrawn before it came through, and had served nobody: what it has brought nobody is given.
    case withdrawn
    /// Joined while it ran: make these from the same download, to be kept for so many seconds, then finish again.
    case more([OwedRendition], resultTTL: Double)
    /// As `RenditionAnswer.keepLonger`, for any of the renditions that came with the end.
    case keepLonger(seconds: Double)
    /// This run had finished already; the first answer was lost.
    case duplicate
    /// Another run's by now; nothing was changed.
    case stale
}

/// As `drop` answers it.
package enum DropAnswer: String, Sendable, CaseIterable {
    case dropped = "DROPPED"
    case finished = "FINISHED"
    case unknown = "UNKNOWN"
    /// It belongs to another coordinator, or group, than the one that may drop it.
    case elsewhere = "OTHER"
    /// A worker has its fetch, and it was to be dropped only while it waits.
    case running = "RUNNING"
}

/// What a reaper has done.
package struct ReapAnswer: Sendable, Hashable {
    /// What the clock of Redis showed, epoch ms.
    package var clock: Int64
    /// It showed more than it may, and nothing was done.
    package var hasJumped = false
    /// Runs taken from workers whose lease had ended.
    package var expiredLeases = 0
    /// Receipts ended by their deadline.
    package var deadlines = 0
    /// Delayed fetches queued again.
    package var promoted = 0
    package var forgottenWorkers = 0
    /// Runs that were asked to give way to another client's.
    package var askedToYield = 0
    /// Coordinators that were silent for `QueueTimes.coordinatorSilence`: `abandon` them.
    package var goneCoordinators: [String] = []
}
