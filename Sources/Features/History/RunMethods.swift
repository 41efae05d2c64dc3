import Coordinator
import TintypeCore
import TintypeQueue
import TintypeTransport

/// `stats.series`: what the fleet did, by the second, by fifteen seconds or by the minute.
struct StatsSeries: RPCMethod {
    let name = "stats.series"
    let statistics: FleetStatistics

    func begin(_ call: Call, _ params: JSON) {
        let wanted = params["step"]?.int ?? 1
        guard let step = StatisticsRings.Step(rawValue: wanted) else {
            return call.fail(.invalidParams(path: "step", value: JSON(wanted), expected: "1, 15 or 60"))
        }
        let points = statistics.points(step, after: params["since"]?.int ?? 0)
        call.succeed(["step": JSON(wanted), "bounds": .array(StatisticsPoint.bounds.map { JSON($0) }), "points": .array(points.map(\.json))])
    }
}

/// `runs.list`: the fetches that run.
struct RunsList: RPCMethod {
    let name = "runs.list"
    let scope: TaskScope
    let registry: QueueRegistry
    let redis: RedisNodes

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            let (wanted, limit) = (params["queue"]?.string, params["limit"]?.int ?? 100)
            let names = try await registry.names()
            if let wanted, !names.contains(wanted) { throw QueueRegistry.unknown(wanted) }
            var parts: [[JSON]] = []
            try await RedisError.translating { () async throws(RedisError) in
                let now = try await Queue.clock(redis)
                for name in names where wanted == nil || ShardNames.queue(of: name) == wanted {
                    parts.append(try await registry.queue(name).runs(limit: limit).map { $0.json(at: now) })
                }
            }
            return ["items": .array(Self.shared(parts, limit: limit))]
        }
    }

    /// Takes from each part in turn, so that one with many runs does not hide the others.
    static func shared<Item>(_ parts: [[Item]], limit: Int) -> [Item] {
        var (items, place): ([Item], Int) = ([], 0)
        while items.count < limit {
            let row = parts.compactMap { place < $0.count ? $0[place] : nil }
            guard !row.isEmpty else { break }
            items += row.prefix(limit - items.count)
            place += 1
        }
        return items
    }
}

/// `failures.list`: the latest failures by cause and host.
struct FailuresList: RPCMethod {
    let name = "failures.list"
    let ends: RecentEndsWatch

    func begin(_ call: Call, _ params: JSON) { call.succeed(["items": .array(ends.failures(params["limit"]?.int ?? 50))]) }
}

/// `hosts.list`: the hosts with running fetches, those that are held, and those with failures.
struct HostsList: RPCMethod {
    let name = "hosts.list"
    let scope: TaskScope
    let registry: QueueRegistry
    let ends: RecentEndsWatch

    /// The most runs that are counted.
    private static let most = 2000

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            let (wanted, limit) = (params["queue"]?.string, params["limit"]?.int ?? 100)
            var items: [JSON] = []
            for whole in try await registry.wholes() where wanted == nil || whole.name == wanted {
                do throws(RedisError) {
                    guard let info = try await whole.info() else { continue }
                    var running: [String: Int] = [:]
                    for part in whole.parts { running.merge(try await part.runningHosts(limit: Self.most), uniquingKeysWith: +) }
                    let failed = ends.failures(byHostOf: whole.name)
                    let hosts = Set(running.keys).union(failed.keys).union(info.heldHosts.keys).filter { !$0.isEmpty }
                    items += hosts.map { host in
                        var item: JSONObject = [
                            "host": .string(host), "queue": .string(whole.name), "running": JSON(running[host] ?? 0), "failed": JSON(failed[host] ?? 0),
                        ]
                        item["limit"] = JSON(info.limits.hostLimits[host] ?? info.limits.maxConcurrentPerHost)
                        item["heldUntil"] = info.heldHosts[host].map { JSON($0) }
                        return .object(item)
                    }
                } catch {
                    throw TintypeError(error)
                }
            }
            items.sort { ($0["running"]?.int ?? 0, $1["host"]?.string ?? "") > ($1["running"]?.int ?? 0, $0["host"]?.string ?? "") }
            return ["items": .array(Array(items.prefix(limit)))]
        }
    }
}
