package import TintypeCore
package import TintypeTransport
import TintypeImages

/// A fetch that runs, as `runs.list` shows it. Its URL has no parts that may be secret.
package struct ShownRun: Sendable, Hashable {
    package let fetch: String
    package let queue: String
    package let url: String?
    package let host: String
    package let worker: String?
    package let attempt: Int
    package let phase: String
    /// The last progress, if a receipt wants progress.
    package let progress: JSONObject
    /// Epoch ms.
    package let startedAt: Int64

    /// The entry in `runs.list`.
    /// - Parameter now: the time of Redis, in epoch ms.
    package func json(at now: Int64) -> JSON {
        var json: JSONObject = [
            "fetch": .string(fetch), "queue": .string(queue), "url": url.map { .string($0) } ?? .null, "host": .string(host),
            "worker": worker.map { .string($0) } ?? .null, "attempt": JSON(attempt), "phase": .string(phase),
            "startedSeconds": JSON(Double(max(0, now - startedAt)) / 1000),
        ]
        for name in ["receivedBytes", "expectedBytes", "fraction"] { if let value = progress[name] { json[name] = value } }
        return .object(json)
    }
}

extension Queue {
    /// Returns fetches that run, those whose leases end first before the others.
    /// - Parameter limit: the most fetches.
    package func runs(limit: Int) async throws(RedisError) -> [ShownRun] {
        var found: [ShownRun] = []
        let ids = try await running(limit: limit)
        let fields: [RedisArgument] = ["state", "host", "worker", "attempts", "phase", "progress", "startedAt"]
        let replies = try await node.commands(ids.flatMap { [["HMGET", .string(keys.prefix + "f:" + $0)] + fields, sourceQuestion($0)] })
        for (index, id) in ids.enumerated() {
            let (record, source) = (replies[2 * index].array ?? [], replies[2 * index + 1])
            // The run has ended meanwhile.
            guard record.count == fields.count, record[0].string == "running" else { continue }
            let url = source.string.flatMap(Self.shownURL(ofFetch:))
            let worker = record[2].string.flatMap { try? JSON(parsing: Array($0.utf8)) }?.string
            let progress = record[5].string.flatMap { try? JSON(parsing: Array("{\($0)}".utf8)) }?.object
            found.append(
                ShownRun(
                    fetch: id, queue: publicName, url: url, host: record[1].string ?? "", worker: worker, attempt: Int(record[3].int ?? 1),
                    phase: record[4].string ?? "download", progress: progress ?? [:], startedAt: record[6].int ?? 0))
        }
        return found
    }

    /// Returns the fetch of a receipt as far as Redis still knows: its host and its URL, without parts that may be secret.
    package func source(ofReceipt receipt: String) async throws(RedisError) -> (host: String, url: String?)? {
        guard let fetch = try await node.command(["HGET", .string(keys.receipt(receipt)), "fetch"]).string, !fetch.isEmpty,
            let host = try await node.command(["HGET", .string(keys.prefix + "f:" + fetch), "host"]).string
        else { return nil }
        return (host, try await node.command(sourceQuestion(fetch)).string.flatMap(Self.shownURL(ofFetch:)))
    }

    /// Returns the numbers of running fetches by host.
    /// - Parameter limit: the most fetches that are counted.
    package func runningHosts(limit: Int) async throws(RedisError) -> [String: Int] {
        var found: [String: Int] = [:]
        let questions = try await running(limit: limit).map { ["HGET", .string(keys.prefix + "f:" + $0), "host"] as [RedisArgument] }
        for reply in try await node.commands(questions) { if let host = reply.string { found[host, default: 0] += 1 } }
        return found
    }

    private func running(limit: Int) async throws(RedisError) -> [String] {
        guard limit > 0 else { return [] }
        return try await node.command(["ZRANGE", .string(keys.prefix + "run"), 0, .int(Int64(limit - 1))]).array?.compactMap(\.string) ?? []
    }

    /// The command that returns the JSON of a fetch.
    private func sourceQuestion(_ fetch: String) -> [RedisArgument] { ["HGET", .string(keys.prefix + "n:" + fetch), "source"] }

    /// Returns the URL in the JSON of a fetch, without parts that may be secret.
    nonisolated static func shownURL(ofFetch text: String) -> String? {
        (try? JSON(parsing: text)).flatMap { try? Source(canonical: $0) }.map { "\(RedactedURL($0.url))" }
    }
}
