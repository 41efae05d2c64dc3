package import TintypeCore
import TintypeTransport

/// A group of requests as Redis knows it.
package struct GroupRecord: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Fills the caches: what fails is passed over, results are not kept.
        case prefetch
        /// Results in the order of the requests.
        case batch
        /// One after the other; a step may use what came of earlier ones.
        case chain
    }

    package enum State: String, Sendable, Hashable, CaseIterable {
        case running, succeeded, failed, cancelled

        init?(script word: String) {
            switch word {
            case "run": self = .running
            case "ok": self = .succeeded
            case "err": self = .failed
            case "can": self = .cancelled
            default: return nil
            }
        }
    }

    /// How much of a group to read.
    package enum Extent: Sendable {
        /// How it stands.
        case state
        /// Also what came of some of its requests, from one on, and of the one whose failure has ended it.
        case results(from: Int = 0, limit: Int = .max)
        /// Also the requests that have not ended, from one on, for whoever drives it. They may hold secrets.
        case requests(from: Int = 0)
        /// Also what came of some of its requests, as far as one reading goes.
        case outcomes(of: [Int])
    }

    /// Bytes of outcomes or requests after which one reading has no more of them: what is read must not take long.
    package static let mostRead = 4 << 20
    /// Bytes of requests that have not ended, of one group: they wait in the memory of Redis.
    package static let mostAsked = 64 << 20
    /// The most that one reading asks for by name.
    static let mostNamed = 1000

    /// Where to find a request that was begun.
    package struct Begun: Sendable, Hashable {
        package let queue: String
        package let receipt: String

        package init(queue: String, receipt: String) {
            self.queue = queue
            self.receipt = receipt
        }

        var text: String { "\(queue) \(receipt)" }

        init?(_ text: String) {
            let words = text.split(separator: " ")
            guard words.count == 2 else { return nil }
            self.init(queue: String(words[0]), receipt: String(words[1]))
        }
    }

    package var id: String
    package var kind: Kind
    package var state: State = .running
    /// Whether one failure ends it.
    package var isStrict = false
    /// How many requests run at once.
    package var concurrency = 1
    package var total = 0
    /// How many requests have ended.
    package var finished = 0
    /// Number of its last event.
    package var seq = 0
    /// When it ended, epoch seconds as text; empty while it runs.
    package var at = ""
    /// Why it was cancelled.
    package var reason: String?
    /// The request whose failure has ended it.
    package var failed: Int?
    /// Why it was given up, if no request of its own has ended it.
    package var failure: JSON?
    /// The requests that were begun and have not ended.
    package var begun: [Int: Begun] = [:]
    /// How many of those that have ended have failed.
    package var failures = 0
    /// Bytes of what came of all that have ended.
    package var size = 0
    /// What came of those that have ended, as far as it was read: `{state, receipt?, result? | error?}`.
    package var outcomes: [Int: JSON] = [:]
    /// Up to which one was read, by `.results` and `.requests`.
    package var readTo = 0
    /// Those that have ended, of what was read.
    package var ended: Set<Int> = []
    /// Those that have not ended.
    package var requests: [Int: JSON] = [:]

    package init(id: String, kind: Kind) {
        (self.id, self.kind) = (id, kind)
    }

    /// - Parameter words: as `groupread.lua` answers.
    init?(id: String, _ words: [RedisReply]) {
        guard words.count == 17, let kind = words[0].string.flatMap({ Kind(rawValue: $0) }),
            let state = words[1].string.flatMap({ State(script: $0) }), let concurrency = words[3].int, let total = words[4].int,
            let finished = words[5].int, let seq = words[6].int, let failures = words[14].int, let size = words[15].int, let readTo = words[16].int
        else { return nil }
        (self.id, self.kind, self.state, isStrict) = (id, kind, state, words[2].string == "1")
        (self.concurrency, self.total, self.finished, self.seq) = (Int(concurrency), Int(total), Int(finished), Int(seq))
        at = words[7].string ?? ""
        reason = words[8].string.flatMap { try? JSON(parsing: $0) }?.string
        failed = words[9].string.flatMap { Int($0) }
        for (index, text) in words[10].pairs { if let index = Int(index) { begun[index] = Begun(text) } }
        (self.failures, self.size, self.readTo) = (Int(failures), Int(size), Int(readTo))
        outcomes = Self.values(words[11], keeping: .bodies)
        ended = Set(words[11].pairs.keys.compactMap { Int($0) })
        requests = Self.values(words[12])
        failure = words[13].string.flatMap { try? JSON(parsing: $0) }
    }

    /// What ends a group whose drivers were lost one after the other: the requests that are left may be what has killed them.
    package static let forsaken = TintypeError(
        .internalError, .queue, "the group was given up: the coordinators that drove it ended one after the other, and nothing came of it",
        retryable: false)

    /// By index. What came of a request may be nested a little deeper than the request.
    private static func values(_ reply: RedisReply, keeping kept: JSON.Kept = .nothing) -> [Int: JSON] {
        var values: [Int: JSON] = [:]
        for (index, text) in reply.pairs { if let index = Int(index) { values[index] = try? JSON(parsing: text.utf8, maxDepth: 80, keeping: kept) } }
        return values
    }
}

/// What became of a request of a group that was about to be submitted.
/// As `groupbegin` answers it.
package enum GroupBeginAnswer: String, Sendable, CaseIterable {
    case ok = "OK"
    /// The group, or this request, has ended: do not submit it.
    case ended = "ENDED"
    /// Another coordinator drives the group.
    case stale = "STALE"
}

package enum GroupSettleAnswer: Sendable, Hashable {
    /// Where the group stands now, and how many requests it has.
    case noted(GroupRecord.State, total: Int)
    /// Another coordinator drives the group; nothing was changed.
    case stale
}

/// As `groupcancel` answers it.
package enum GroupCancelAnswer: String, Sendable, CaseIterable {
    /// Now or before.
    case cancelled = "CANCELLED"
    /// It had ended otherwise.
    case finished = "FINISHED"
    case unknown = "UNKNOWN"
}

package enum GroupAppendAnswer: Sendable, Hashable {
    case ok, unknown, ended
    /// It is no chain.
    case otherKind
    /// It would have more steps than it may; it has so many.
    case full(Int)
    /// Its open requests would have more bytes than they may; they have so many.
    case long(Int)
}

/// A group that a coordinator drives: the token fences off everybody else, and this coordinator too once it has lost the group.
package struct HeldGroup: Sendable, Hashable {
    package let group: String
    package let token: String

    package init(group: String, token: String) {
        self.group = group
        self.token = token
    }
}

/// What a round of renewals has brought.
package struct GroupDriveAnswer: Sendable, Hashable {
    /// Driven by another coordinator now, or forgotten.
    package var lost: [String]
    /// Ended by somebody else: what they began is to be withdrawn.
    package var over: [String]
    package var taken: [HeldGroup]
}
