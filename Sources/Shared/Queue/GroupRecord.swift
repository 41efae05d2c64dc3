package import TintypeCore
import TintypeImages
import TintypeTransport

/// The record of a group in Redis.
package struct GroupRecord: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Fills the caches. Failures are skipped, and results are not kept for the client.
        case prefetch
        /// Delivers results in the order of the requests.
        case batch
        /// Runs one request after the other. A step may use results of earlier steps.
        case chain
    }

    package enum State: String, Sendable, Hashable, CaseIterable {
        case running, succeeded, failed, cancelled
    }

    /// The part of a group to read.
    package enum Extent: Sendable {
        case state
        /// The state, the outcomes of a page of requests, and the outcome of the request whose failure has ended the group.
        case results(from: Int = 0, limit: Int = .max)
        /// The state and a page of the requests that have not ended, for the coordinator that drives the group. They may contain secrets.
        case requests(from: Int = 0)
        /// The state and the outcomes of these requests, as far as one read goes.
        case outcomes(of: [Int])
    }

    /// The most requests in a group.
    package static let mostItems = 10_000
    /// The number of bytes of outcomes or requests after which one read stops, since a read must be short.
    package static let mostRead = 4 << 20
    /// The limit for the requests of one group that have not ended, in bytes. They wait in the memory of Redis.
    package static let mostAsked = 64 << 20
    /// The maximum number of requests that one read may name.
    static let mostNamed = 1000

    /// The place of a request that has been submitted.
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
    /// The client that started the group (`ClientIdentity.key`), "" for an admin; nil: an earlier version has started it.
    package var owner: String?
    package var state: State = .running
    /// Whether one failure ends the group.
    package var isStrict = false
    /// The number of requests that run at once.
    package var concurrency = 1
    package var total = 0
    /// The number of requests that have ended.
    package var finished = 0
    /// The number of the last event.
    package var seq = 0
    /// The end of the group in epoch seconds, as text; empty while the group runs.
    package var at = ""
    /// The reason if the group was cancelled.
    package var reason: String?
    /// The index of the request whose failure has ended the group.
    package var failed: Int?
    /// The error if the group was given up and no failed request has ended it.
    package var failure: JSON?
    /// The requests that were submitted and have not ended.
    package var begun: [Int: Begun] = [:]
    /// The number of requests that have ended with a failure.
    package var failures = 0
    /// The number of results by the place that each came from. Ends that an earlier version has recorded are not counted.
    package var origins: [ResultOrigin.Place: Int] = [:]
    /// The size of all outcomes in bytes.
    package var size = 0
    /// The outcomes that were read: `{state, receipt?, result? | error?}`.
    package var outcomes: [Int: JSON] = [:]
    /// The index after the page that `.results` or `.requests` has read.
    package var readTo = 0
    /// The indices of the requests that have ended, among those that were read.
    package var ended: Set<Int> = []
    /// The requests that have not ended, among those that were read.
    package var requests: [Int: JSON] = [:]

    package init(id: String, kind: Kind) {
        (self.id, self.kind) = (id, kind)
    }

    /// - Parameter words: the answer of `group-read.lua`.
    init?(id: String, _ words: [RedisReply]) {
        guard words.count == 19, let kind = words[0].string.flatMap({ Kind(rawValue: $0) }),
            let state = words[1].string.flatMap({ State(rawValue: $0) }), let concurrency = words[3].int, let total = words[4].int,
            let finished = words[5].int, let seq = words[6].int, let failures = words[14].int, let size = words[15].int, let readTo = words[16].int,
            (0...Int64(Self.mostItems)).contains(total)
        else { return nil }
        (self.id, self.kind, self.state, isStrict) = (id, kind, state, words[2].string == "1")
        (self.concurrency, self.total, self.finished, self.seq) = (Int(concurrency), Int(total), Int(finished), Int(seq))
        at = words[7].string ?? ""
        reason = words[8].string.flatMap { try? JSON(parsing: $0) }?.string
        failed = words[9].int.map { Int($0) }
        for (index, text) in words[10].pairs { if let index = Int(index) { begun[index] = Begun(text) } }
        (self.failures, self.size, self.readTo) = (Int(failures), Int(size), Int(readTo))
        outcomes = Self.values(words[11], keeping: .bodies)
        ended = Set(words[11].pairs.keys.compactMap { WireNumber.integer($0).map { Int($0) } })
        requests = Self.values(words[12])
        failure = words[13].string.flatMap { try? JSON(parsing: $0) }
        owner = words[17].string
        for (place, count) in zip(ResultOrigin.Place.allCases, words[18].array ?? []) { origins[place] = count.int.map { Int($0) } }
    }

    /// The error of a group whose drivers were lost one after the other. Its remaining requests may have killed them.
    package static let forsaken = TintypeError(
        .internalError, .queue, "the group was given up: the coordinators that drove it ended one after the other, and none of its requests ended",
        retryable: false)

    /// Reads values by index. An outcome may be nested a little deeper than its request.
    private static func values(_ reply: RedisReply, keeping kept: JSON.Kept = .nothing) -> [Int: JSON] {
        var values: [Int: JSON] = [:]
        for (index, text) in reply.pairs { if let index = Int(index) { values[index] = try? JSON(parsing: text.utf8, maxDepth: 80, keeping: kept) } }
        return values
    }
}

/// The answer of `group-begin`, called just before a request of a group is submitted.
package enum GroupBeginAnswer: String, Sendable, CaseIterable {
    case ok = "OK"
    /// The group or this request has ended. Do not submit the request.
    case ended = "ENDED"
    /// Another coordinator drives the group.
    case stale = "STALE"
}

package enum GroupSettleAnswer: Sendable, Hashable {
    /// The state of the group now, and the number of its requests.
    case noted(GroupRecord.State, total: Int)
    /// Another coordinator drives the group. Nothing was changed.
    case stale
}

package enum GroupCancelAnswer: String, Sendable, CaseIterable {
    /// The group was cancelled now or earlier.
    case cancelled = "CANCELLED"
    /// The group had already ended in another way.
    case finished = "FINISHED"
    case unknown = "UNKNOWN"
}

package enum GroupAppendAnswer: Sendable, Hashable {
    case ok, unknown, ended
    /// The group is not a chain.
    case otherKind
    /// The chain would have more steps than allowed. The value is their number now.
    case full(Int)
    /// The open requests would have more bytes than allowed. The value is their size now.
    case long(Int)
}

/// A group that a coordinator drives. The token fences off every other coordinator, and this one too once it has lost the group.
package struct GroupLease: Sendable, Hashable {
    package let group: String
    package let token: String

    package init(group: String, token: String) {
        self.group = group
        self.token = token
    }
}

/// The answer to one renewal of the leases of groups.
package struct GroupDriveAnswer: Sendable, Hashable {
    /// Groups that another coordinator drives now, or that are forgotten.
    package var lost: [String]
    /// Groups that a client has ended. Withdraw the requests that they began.
    package var over: [String]
    package var taken: [GroupLease]
}
