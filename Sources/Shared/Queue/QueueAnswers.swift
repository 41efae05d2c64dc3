package import TintypeCore
package import TintypeImages
import TintypeTransport

package enum SubmitAnswer: Sendable, Hashable {
    /// The receipt is in the queue, with a fetch of its own or one that it has joined. `position` counts from 0 and is nil unless the fetch is queued.
    case queued(state: ReceiptState, position: Int?, joined: Bool)
    /// The receipt has ended at once: the result index answered it, or the same receipt had ended before.
    case finished(Ending)
    /// The same receipt is already live. Its events now go to the coordinator that asked. `seq` is the number of its last event before.
    case again(state: ReceiptState, position: Int?, seq: Int)
    /// The index has these results, and nothing was done. Once the bytes are known to be there, submit the receipt as verified.
    case indexed([Indexed])
    /// The blacklist refuses the receipt with this error, and nothing was done. Submit it for the caches alone, or without asking.
    case listed(JSON)
    /// The receipt id is known with another request, or belongs to another queue.
    case mismatch
    /// The maximum number of fetches, `maxQueued`, is already waiting.
    case full(retryAfterSeconds: Double)
    case unknownQueue
}

package struct Indexed: Sendable, Hashable {
    package let digest: String
    /// The hash of its bytes in hexadecimal; nil if the index does not contain it.
    package let sha256: String?

    package init(_ digest: String, sha256: String?) {
        self.digest = digest
        self.sha256 = sha256
    }
}

/// A run that belongs to a worker. The token fences off every other worker, and this one too once it has lost the run.
package struct RunLease: Sendable, Hashable {
    package let fetch: String
    package let token: Int64
    /// When the run began, in epoch ms of Redis: the fencing token is made of the time (`claim.lua`).
    package var since: Int64 { token / 1024 }

    package init(fetch: String, token: Int64) {
        self.fetch = fetch
        self.token = token
    }
}

/// A rendition that a worker has to make.
package struct OwedRendition: Sendable, Hashable {
    package let digest: String
    /// Canonical JSON of the rendition.
    package let json: String
}

package struct ClaimedFetch: Sendable, Hashable {
    package var lease: RunLease
    /// Counts from 1. Released runs do not count.
    package var attempt: Int
    package var host: String
    /// Canonical JSON of the fetch. It may contain secrets: never log it.
    package var fetch: String
    package var renditions: [OwedRendition]
    /// The shortest time between two `response` or `progress` reports that any receipt asked for; nil if none asked. A `ControlMessage` or a heartbeat
    /// may change it later.
    package var progressInterval: Duration?
    package var wantsProgress: Bool { progressInterval != nil }
    package var queuedSeconds: Double
    /// Seconds until the last deadline among its receipts. The reaper ends receipts; this value is for the worker's own timeouts.
    package var deadlineSeconds: Double
    /// The largest timeouts of all receipts that had joined by then; nil for the timeouts of the fetch.
    package var timeouts: FetchOptions.Timeouts?
    /// How long to keep the results. A receipt that joins meanwhile may ask for more.
    package var resultTime: ResultTime
    /// Whether any receipt that had joined by then wants the source to be kept.
    package var keepsSource: Bool
    /// The throttled hosts of its mirrors, and for how many more seconds. The fetch waited for another host, and these must not be asked either.
    package var resting: [String: Double]
    /// The places of its requests in their traces, the oldest first.
    package var traces: [TraceContext] = []
}

package struct ClaimAnswer: Sendable, Hashable {
    package var fetches: [ClaimedFetch]
    /// Milliseconds until the next delayed fetch is due; nil if none waits. Do not sleep longer.
    package var nextDueMilliseconds: Int?
}

/// The answer to a worker's heartbeat. It repeats everything that a lost message may have said.
package struct BeatAnswer: Sendable, Hashable {
    /// Fetches that no longer belong to this worker. Stop them, and do not finish them.
    package var lost: [String]
    /// Fetches that no receipt wants any more. Stop them, and finish them as cancelled.
    package var cancelled: [String]
    /// Fetches with a receipt that wants progress, and the shortest time between two reports.
    package var watched: [String: Duration]
    /// Fetches whose permits other clients wait for. Release them, unless they have loaded everything they need.
    package var yielding: [String]
    /// Whether this worker drains.
    package var isQuiet: Bool
}

package enum ProgressAnswer: Sendable, Hashable {
    case ok
    /// The run still belongs to this worker, and a receipt wants previews.
    case previews(PreviewOptions)
    /// The run belongs to another worker by now. Stop it, and do not finish it.
    case stale
    /// No receipt wants the fetch any more. Stop the run, and finish it as cancelled.
    case cancel
}

package enum RenditionAnswer: Sendable, Hashable {
    case ok
    /// As in `ProgressAnswer`.
    case stale, cancel
    /// A receipt that joined asks to keep the result longer than it was stored for. Store it again, then report it again. Nothing was changed.
    case keepLonger(ResultTime)
    /// The source was purged after the run began. Keep the rendition only for the receipts that wait now, then report it again. Nothing was changed.
    case purged
}

package enum FinishAnswer: Sendable, Hashable {
    case done
    /// The run failed, and the fetch waits for its next run.
    case again
    /// The fetch was withdrawn before its run ended, and the run had served no receipt. No client gets its results.
    case withdrawn
    /// These renditions joined during the run. Make them from the same download, to be kept for `resultTime`, then finish again.
    case more([OwedRendition], resultTime: ResultTime)
    /// As `RenditionAnswer.keepLonger`, for any rendition in the call.
    case keepLonger(ResultTime)
    /// As `RenditionAnswer.purged`, for all renditions in the call.
    case purged
    /// This run had already finished. The first answer was lost.
    case duplicate
    /// The run belongs to another worker by now. Nothing was changed.
    case stale

    /// Whether Redis has the end of this run, and the fetch was not withdrawn before.
    package var isEnd: Bool { self == .done || self == .again || self == .duplicate }
}

package enum CancelAnswer: String, Sendable, CaseIterable {
    case dropped = "DROPPED"
    case finished = "FINISHED"
    case unknown = "UNKNOWN"
    /// The receipt belongs to another coordinator or group than the one that may cancel it.
    case elsewhere = "OTHER"
    /// A worker runs its fetch, and the receipt was to be canceled only while it waits.
    case running = "RUNNING"
}

package struct ReapAnswer: Sendable, Hashable {
    /// The time of the clock of Redis, epoch ms.
    package var clock: Int64
    /// Whether the clock showed more than it may, and nothing was done.
    package var hasJumped = false
    /// Runs taken from workers whose lease had expired.
    package var expiredLeases = 0
    /// Receipts ended by their deadline.
    package var deadlines = 0
    /// Delayed fetches that were queued again.
    package var promoted = 0
    package var forgottenWorkers = 0
    /// Runs that were asked to yield to another client's.
    package var askedToYield = 0
    /// Whether more was due than one call handles. Call again at once.
    package var hasMore = false
    /// Coordinators that were silent for `QueueTimes.coordinatorSilence`. Call `abandon` for them.
    package var goneCoordinators: [String] = []
}

/// The answer of a queue to the heartbeat of a coordinator.
package struct HeartbeatAnswer: Sendable, Hashable {
    /// The number of the coordinator's receipts that run while the queue is paused; nil if the queue is not paused.
    package let runningWhilePaused: Int?
    /// The number of requests that the other live coordinators count as work; nil if the heartbeat did not ask for it.
    package let others: Int?
    /// The number of live coordinators, this one included; nil if the heartbeat did not ask for it.
    package let coordinators: Int?

    /// - Parameter counted: the number that this coordinator has reported. The sum in the answer includes it.
    init?(_ reply: RedisReply, counted: Int?) {
        guard let numbers = reply.array?.compactMap(\.int), numbers.count == 3 else { return nil }
        runningWhilePaused = numbers[0] < 0 ? nil : Int(clamping: numbers[0])
        others = numbers[1] < 0 ? nil : max(0, Int(clamping: numbers[1]) - (counted ?? 0))
        coordinators = numbers[2] < 1 ? nil : Int(clamping: numbers[2])
    }
}
