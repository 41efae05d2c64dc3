import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// `tintype cache`: shows and removes cache entries.
enum CacheCommand {
    static let command = Command(
        "cache", "[stats | clear | trim | remove KEY… | purge --url|--prefix|--tag … | get KEY -o FILE]", words: 0...1000,
        "Shows the caches, removes entries, or saves one image.",
        options: [
            Option("tier", "memory|results|sources", "Limits the command to one tier. Default: all tiers."),
            Option("url", "URL", "purge removes everything that came from this URL, in all queues, stores and coordinators."),
            Option("prefix", "URL", "purge removes everything whose URL begins so; no character of it is special."),
            Option("tag", "TAG", "purge removes everything that has this tag (cache.tags)."),
            Option("scope", "SCOPE", "The scope of --tag. Default: that of the token, or none."),
            Option("output", short: "o", "FILE", "The file that get writes; - is standard output."),
            Option("http", "HOST:PORT", "The address that results are downloaded from; https://HOST:PORT for TLS. Default: the coordinator names it."),
        ] + Command.connection,
        notes: "Examples:\n  tintype cache clear --tier sources\n  tintype cache purge --prefix https://example.org/photos/",
        run: run)

    private static let verbs = ["stats", "clear", "trim", "remove", "purge", "get"]
    private static let ways = ["url", "prefix", "tag"]

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let verb = arguments.words.first ?? "stats"
        let keys = Array(arguments.words.dropFirst())
        guard verbs.contains(verb) else { throw UsageError("unknown verb \"\(verb)\"\(NearestName.hint(verb, among: verbs))") }
        if ["remove", "get"].contains(verb) {
            guard !keys.isEmpty else { throw UsageError("missing: the key, which each result shows") }
        } else if let extra = keys.first {
            throw UsageError("unexpected argument \"\(RedactedText(extra))\"")
        }
        if verb == "get", arguments["output"] == nil || keys.count > 1 { throw UsageError("get takes one key and -o FILE") }
        var purged = ways.compactMap { way in arguments[way].map { (way, JSON.string($0)) } }
        if verb == "purge" {
            guard purged.count == 1, arguments["tier"] == nil else { throw UsageError("purge takes one of --url, --prefix and --tag, and no --tier") }
        } else if let (way, _) = purged.first {
            throw UsageError("--\(way) is for tintype cache purge")
        }
        if let scope = arguments["scope"] {
            guard verb == "purge", arguments["tag"] != nil else { throw UsageError("--scope is for tintype cache purge --tag") }
            purged.append(("scope", .string(scope)))
        }
        var params = JSONObject()
        params["tier"] = arguments["tier"].map { .string($0) }
        switch verb {
        case "stats": try await RPCClient.show("cache.stats", .object(params), arguments, table)
        case "purge":
            try await RPCClient.show("cache.purge", .object(JSONObject(purged)), arguments) { answer in
                let counts = ["results", "sources", "fetches"].map { answer[$0]?.int ?? 0 }
                return "\(counts[0]) results, \(counts[1]) sources, \(counts[2]) running fetches"
            }
        case "get": try await get(keys[0], params, arguments)
        case "remove":
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            var removed = 0
            var bytes = 0
            for key in keys {
                let answer = try await client.call("cache.remove", .object(params.merging(["key": .string(key)])))
                removed += answer["removed"]?.int ?? 0
                bytes += answer["bytes"]?.int ?? 0
            }
            let answer: JSON = ["removed": JSON(removed), "bytes": JSON(bytes)]
            try Output.answer(answer, arguments, sum(answer))
            return removed > 0 ? 0 : 1
        default: try await RPCClient.show("cache.\(verb)", .object(params), arguments, sum)
        }
        return 0
    }

    private static func sum(_ answer: JSON) -> String { "\(answer["removed"]?.int ?? 0) removed, \(ByteSize.text(answer["bytes"]?.int ?? 0))" }

    /// Saves one entry to a file. The command asks for the entry first, so that a miss is reported with its reason. A source has no URL of its own,
    /// so its bytes come inside the answer.
    @Loop private static func get(_ key: String, _ params: JSONObject, _ arguments: Arguments) async throws {
        let client = try await RPCClient.connect(arguments)
        defer { client.close() }
        var params = params.merging(["key": .string(key)])
        let isSource = params["tier"]?.string == CacheTier.sources.rawValue
        if isSource { params["deliver"] = "inline" }
        var found = ImageResult(json: try await client.call("cache.get", .object(params)))
        let file = arguments["output"] ?? "-"
        let bytes = isSource ? try inline(&found) : try await HTTPPort(of: client, arguments).get("/images/\(key)")
        if file == "-" { return try Output.bytes(bytes) }
        try OutputName.write(bytes, to: file)
        if arguments.isJSON { return try Output.json(found.json) }
        try Output.lines("\(file): \(bytes.count) bytes, from \((found.from ?? "").plain)")
    }

    /// Removes the bytes from an answer and returns them. The answer is printed without them.
    private static func inline(_ found: inout ImageResult) throws(ClientFailure) -> [UInt8] {
        guard var rendition = found.renditions.first, let bytes = rendition.data?.string.flatMap({ Base64.bytes(of: Array($0.utf8)) }) else {
            throw .http("the coordinator's answer has no bytes")
        }
        rendition.data = nil
        found.renditions = [rendition]
        return bytes
    }

    private static func table(_ answer: JSON) -> String {
        var table = Table("tier", "count", "bytes", "capacity")
        for tier in answer.object?.members ?? [] {
            table.add(
                tier.key, tier.value["count"]?.int.map(String.init) ?? "-", tier.value["bytes"]?.int.map(String.init) ?? "-",
                tier.value["capacity"]?.int.map(ByteSize.text) ?? "-")
        }
        return table.text
    }
}
