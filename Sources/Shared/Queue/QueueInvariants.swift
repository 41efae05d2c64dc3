import TintypeCore
import TintypeImages

/// The rules that hold for every queue after every script, in any order of calls. Sources/Shared/queue.md numbers them.
package struct QueueInvariants {
    let dump: QueueDump
    let order: QueueOrder
    let settings: [String: String]
    let hostLimits: [String: String]
    let ruleLimits: [String: String]
    let run: [String: Double], delay: [String: Double], deadlines: [String: Double]
    let allInQueueOrder: [String: Double], allInOwnOrder: [String: Double]
    private var violations: [String] = []

    /// Returns a sentence for each rule that does not hold; empty if all is well.
    package static func violations(in dump: QueueDump) -> [String] {
        var check = QueueInvariants(dump)
        check.fetches()
        check.hosts()
        check.index()
        check.receipts()
        check.wakeUp()
        check.blacklist()
        check.owners()
        check.callbacks()
        check.groups()
        if dump.isWhole { check.clients() }
        return check.violations
    }

    private init(_ dump: QueueDump) {
        self.dump = dump
        settings = dump.hash("cfg")
        order = settings["order"] == "lifo" ? .lifo : .fifo
        hostLimits = dump.hash("hlim")
        ruleLimits = dump.hash("hlim0")
        run = dump.scores("run")
        delay = dump.scores("delay")
        deadlines = dump.scores("dl")
        allInQueueOrder = dump.scores("aq")
        allInOwnOrder = dump.scores("ao")
    }

    mutating func require(_ condition: Bool, _ rule: String, _ what: @autoclosure () -> String) {
        if !condition { violations.append("\(rule): \(what())") }
    }

    /// The width of a band of priorities, and its middle (`order.lua`).
    package static let band = 0x1p44
    package static let middle = 0x1p43
    /// Where paused fetches stand among the delayed ones, in ms: beyond all times.
    package static let parked = 8e15

    /// Q13: the blacklist and its index have the same entries, apart from expired ones, and their number is limited.
    private mutating func blacklist() {
        let index = dump.scores("bl")
        require(index.count <= 10_000, "Q13", "the blacklist has \(index.count) entries")
        for (digest, until) in index where dump.isWhole && until > Double(dump.now) {
            require(dump.entries["b:" + digest] != nil, "Q13", "the index of the blacklist names \(digest), which is not on it")
        }
        for digest in dump.names("b:") {
            let until = dump.text("b:" + digest)?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
            require(until != nil && index[digest] == until, "Q13", "\(digest) is on the blacklist and not in its index")
            require(dump.entries["b:" + digest]?.timeToLive != nil, "Q13", "\(digest) is on the blacklist for ever")
        }
    }

    /// Q10: no part is left without its whole, and every key and field is one that we know.
    private mutating func owners() {
        for prefix in ["n:", "fr:"] {
            for id in dump.names(prefix) { require(dump.entries["f:" + id] != nil, "Q10", "\(prefix)\(id) belongs to no fetch") }
        }
        let coordinators = dump.scores("co")
        for id in dump.hash("cseq").keys { require(coordinators[id] != nil, "Q10", "the channel of coordinator \(id) has no coordinator") }
        let seen = dump.scores("wseen")
        for id in Set(dump.hash("workers").keys).union(dump.set("quiet")) { require(seen[id] != nil, "Q10", "worker \(id) is known and was never seen") }
        for id in dump.names("id:") { require(dump.entries["id:" + id]?.timeToLive != nil, "Q10", "id \(id) belongs to a queue for ever") }
        for (key, entry) in dump.entries {
            require(entry.content != .foreign && Self.isKnown(key), "Q10", "key \(key) is not one of ours")
        }
        for kind in RecordKind.allCases {
            let records = kind == .settings ? ["cfg"] : dump.names(kind.rawValue).map { kind.rawValue + $0 }
            for key in records {
                for field in dump.hash(key).keys {
                    require(kind.describes(field), "Q10", "\(key) has a field \(field) that nobody knows")
                }
            }
        }
    }

    static let prefixes = [
        "f:", "n:", "fr:", "r:", "s:", "x:", "tg:", "b:", "sl:", "hq:", "ho:", "hr:", "cq:", "co:", "cr:", "cb:", "cbh:", "g:", "gq:", "gr:", "gb:", "id:",
        "sh:",
    ]
    static let singles: Set<String> = [
        "aq", "ao", "ready", "held", "cl", "run", "delay", "dl", "dead", "bl", "mark", "cfg", "hlim", "hlim0", "seq", "cseq", "co", "workers", "wseen", "quiet",
        "cbs", "durable",
        "queues", "gl", "strays", "act", "pg", "pk", "lender",
    ]

    private static func isKnown(_ key: String) -> Bool { singles.contains(key) || prefixes.contains { key.hasPrefix($0) } }
}
