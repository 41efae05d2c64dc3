import TintypeTransport
import TintypeCore

/// `tintype workers`: lists the workers; drains one, or lets it claim fetches again.
enum WorkersCommand {
    static let command = Command(
        "workers", "[quiet ID | resume ID]", words: 0...2, "Shows the workers; drains one (quiet), or lets it claim fetches again (resume).",
        options: Command.connection,
        run: { arguments in
            if let verb = arguments.words.first { return try await setQuiet(verb, arguments) }
            try await RPCClient.show("workers.list", [:], arguments) { answer in
                var table = Table("worker", "host", "running", "permits", "memory", "seen", "state")
                for worker in answer.array ?? [] {
                    let missing = (worker["missingQueues"]?.array ?? []).compactMap { $0.string?.plain }
                    table.add(
                        worker["id"]?.string ?? "", worker["host"]?.string ?? "", worker["running"]?.int.map(String.init) ?? "-",
                        worker["slots"]?.int.map(String.init) ?? "-", worker["rssBytes"]?.int.map { HumanNumber.bytes($0) } ?? "-",
                        worker["seenSeconds"]?.double.map { HumanNumber.seconds($0) + " ago" } ?? "-",
                        (worker["state"]?.string ?? "") + (missing.isEmpty ? "" : ", no queue \(missing.joined(separator: ", "))"))
                }
                return table.text
            }
            return 0
        })

    @Loop private static func setQuiet(_ verb: String, _ arguments: Arguments) async throws -> Int32 {
        guard ["quiet", "resume"].contains(verb) else { throw UsageError("unknown verb \"\(verb)\"\(NearestName.hint(verb, among: ["quiet", "resume"]))") }
        guard arguments.words.count == 2 else { throw UsageError("missing: the worker's id, which tintype workers lists") }
        let (worker, isQuiet) = (arguments.words[1], verb == "quiet")
        try await RPCClient.show("workers.quiet", ["worker": .string(worker), "quiet": .bool(isQuiet)], arguments) { _ in
            "\(worker.plain) \(isQuiet ? "claims nothing new" : "claims again")"
        }
        return 0
    }
}
