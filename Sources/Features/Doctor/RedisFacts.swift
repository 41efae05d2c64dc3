import Console
import TintypeCore

/// The facts that a Redis server tells of itself. A value.
struct RedisFacts: Sendable {
    /// The server, where there are several.
    var address = ""
    /// The lines of `INFO`; empty where the user may not ask.
    var info: [String: String] = [:]
    /// The refusal of `INFO`.
    var refusal: String?
    /// The times of some PINGs, in seconds.
    var latencies: [Double] = []
    /// The number of scripts that were loaded, and why the first of the others was not.
    var scripts = 0
    var scriptRefusal: String?
    /// Why the servers would not use this Redis: another schema of keys, or a missing right.
    var objection: String?
    /// The bytes that requests may fill by `--max-queue-bytes`; nil: a part of the memory of Redis.
    var mostForRequests: Int?
    /// The replicas that the answers to durable requests wait for; 0: none wait by the settings.
    var wantedReplicas = 0

    private static let oldest = [7, 0]
    /// The median time of an answer from which the queue is slow.
    private static let slow = 0.005
    private static let aclHint = "give its user the rights of deploy/users.acl"

    /// Reads the answer of `INFO`.
    static func info(_ text: String) -> [String: String] {
        var info: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            info[String(line[..<colon])] = String(line[line.index(after: colon)...])
        }
        return info
    }

    private var place: String { address.isEmpty ? "" : "\(address): " }

    var findings: [Finding] {
        var findings = [latency]
        if let refusal {
            findings.append(.warn("redis info", place + "INFO is refused: \(refusal)", "version, role, memory and persistence are unknown: \(Self.aclHint)"))
        } else {
            findings += [version, role, eviction, memory] + persistence
        }
        findings.append(
            scriptRefusal.map { .fail("redis scripts", place + $0, Self.aclHint) } ?? .ok("redis scripts", place + "\(scripts) scripts can be loaded"))
        if let objection { findings.append(.fail("redis keys", place + objection, "see docs/operations.md, A new version with other keys")) }
        return findings
    }

    private var latency: Finding {
        let sorted = latencies.sorted()
        guard let last = sorted.last else { return .fail("redis latency", place + "no PING was answered", "look at the network and at SLOWLOG GET") }
        let median = sorted[sorted.count / 2]
        let found = place + "PING takes \(HumanNumber.seconds(median)), at most \(HumanNumber.seconds(last))"
        return median < Self.slow
            ? .ok("redis latency", found) : .warn("redis latency", found, "each fetch asks Redis several times: bring it nearer, or look at SLOWLOG GET")
    }

    private var version: Finding {
        let text = info["redis_version"] ?? "unknown"
        let numbers = text.split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.lexicographicallyPrecedes(Self.oldest)
            ? .fail("redis version", place + text, "Redis 7.0 or newer is needed") : .ok("redis version", place + text)
    }

    private var role: Finding {
        if info["loading"] == "1" { return .fail("redis role", place + "it still loads its data", "wait until it has") }
        guard info["role"] == "slave" else {
            let found = place + "primary with \(replicas) replicas"
            return replicas >= wantedReplicas
                ? .ok("redis role", found)
                : .warn(
                    "redis role", found + ", and --durable waits for \(wantedReplicas)",
                    "each durable answer waits for --durable-timeout, and says durable false: start replicas, or lower --durable-replicas")
        }
        let primary = "\(info["master_host"] ?? "?"):\(info["master_port"] ?? "?")"
        return .fail("redis role", place + "a replica of \(primary)", "name the primary, or its sentinels by sentinel://")
    }

    /// The replicas that Redis sends its changes to. One that is still loading is connected, but no write waits for it.
    private var replicas: Int {
        let lines = info.filter { $0.key.hasPrefix("slave") && $0.value.contains("state=") }
        return lines.isEmpty ? info["connected_slaves"].flatMap { Int($0) } ?? 0 : lines.count { $0.value.contains("state=online") }
    }

    private var eviction: Finding {
        let policy = info["maxmemory_policy"] ?? "unknown"
        return policy == "noeviction"
            ? .ok("redis eviction", place + policy)
            : .fail("redis eviction", place + policy, "a full Redis would delete queued work: CONFIG SET maxmemory-policy noeviction, and in its file")
    }

    private var memory: Finding {
        let (used, most) = (info["used_memory"].flatMap { Int($0) } ?? 0, info["maxmemory"].flatMap { Int($0) } ?? 0)
        // From this sum on, requests are refused: by the coordinator (`ServerMemoryEstimate`), or by Redis itself at maxmemory.
        let budget = mostForRequests.map { most > 0 ? min($0, most) : $0 } ?? (most > 0 ? most / 8 * 7 : .max)
        var found = place + (most > 0 ? "\(HumanNumber.bytes(used)) of \(HumanNumber.bytes(most)) used" : "\(HumanNumber.bytes(used)) used, no maxmemory")
        var remedy = "raise maxmemory, or move results by --results"
        if let mostForRequests {
            found += ", and requests may fill \(HumanNumber.bytes(mostForRequests)) (--max-queue-bytes)"
            if mostForRequests < most || most == 0 { remedy = "raise --max-queue-bytes, or move results by --results" }
        }
        if used >= budget { return .fail("redis memory", found, "requests are refused: \(remedy)") }
        guard most > 0 else { return .warn("redis memory", found, "set maxmemory below the memory of its machine (deploy/redis.conf)") }
        if let mostForRequests, mostForRequests > most {
            return .warn("redis memory", found, "Redis is full before that, and refuses running work too: lower --max-queue-bytes, or raise maxmemory")
        }
        // Six sevenths of seven eighths are three quarters of maxmemory.
        return used >= budget / 7 * 6 ? .warn("redis memory", found, remedy) : .ok("redis memory", found)
    }

    private var persistence: [Finding] {
        var findings: [Finding] = []
        if info["aof_enabled"] == "1" {
            let status = info["aof_last_write_status"] ?? "ok"
            findings.append(
                status == "ok"
                    ? .ok("redis persistence", place + "append-only file")
                    : .fail("redis persistence", place + "the last write of the append-only file failed", "look at the disk of Redis and at its log"))
        } else {
            findings.append(
                .warn("redis persistence", place + "no append-only file", "queued work is lost with the process: appendonly yes (deploy/redis.conf)"))
        }
        if info["rdb_last_bgsave_status"] == "err" {
            findings.append(.fail("redis persistence", place + "the last snapshot failed", "Redis may refuse to write: look at its disk and its log"))
        }
        return findings
    }
}

/// How the servers of a Redis are found. A value.
enum RedisTopologyFacts: Sendable {
    /// The sentinels that the URL names or others have told of, and those that answer.
    case sentinels(primary: String?, named: Int, connected: Int)
    /// The lines of `CLUSTER INFO`.
    case cluster([String: String])

    var finding: Finding {
        switch self {
        case .sentinels(let primary, let named, let connected):
            let found = "\(connected) of \(named) sentinels answer" + (primary.map { ", the primary is \($0)" } ?? "")
            if primary == nil { return .fail("redis sentinels", found, "compare the name in --redis with `sentinel masters`") }
            return connected < named
                ? .warn("redis sentinels", found, "start the others: a majority of them has to name a new primary") : .ok("redis sentinels", found)
        case .cluster(let info):
            let (state, slots) = (info["cluster_state"] ?? "unknown", info["cluster_slots_ok"] ?? "0")
            let found = "state \(state), \(slots) of 16384 slots served by \(info["cluster_size"] ?? "0") primaries"
            return state == "ok" && slots == "16384"
                ? .ok("redis cluster", found) : .fail("redis cluster", found, "redis-cli --cluster check HOST:PORT, then --cluster fix")
        }
    }
}

/// The clock of this machine against that of Redis, by which deadlines and leases are counted. A value.
struct ClockFacts: Sendable {
    /// Seconds by which this clock is ahead.
    let ahead: Double
    /// Half of the time of the question: the difference is not known better.
    let uncertainty: Double

    private static let noticeable = 1.0
    private static let wrong = 60.0

    var finding: Finding {
        let size = abs(ahead)
        let found = "this machine is \(HumanNumber.seconds(size)) \(ahead < 0 ? "behind" : "ahead of") Redis, ± \(HumanNumber.seconds(uncertainty))"
        let advice = "set both clocks by NTP: signatures, certificates and expiry go by them"
        if size - uncertainty > Self.wrong { return .fail("clock", found, advice) }
        return size - uncertainty > Self.noticeable ? .warn("clock", found, advice) : .ok("clock", found)
    }
}
