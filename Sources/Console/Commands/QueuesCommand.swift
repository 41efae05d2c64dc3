import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages

/// `tintype queues`: shows the queues, or changes one.
enum QueuesCommand {
    private static let changes = (MethodCatalog.method("queue.configure")?.parameters ?? []).filter { $0.name != "queue" }

    static let command = Command(
        "queues", "[NAME | pause NAME | resume NAME | cancel NAME | configure NAME]", words: 0...2,
        "Shows the queues; pauses, resumes or configures one, or cancels all its fetches.",
        options: changes.compactMap { Option($0) } + [
            Option("host-limit", "HOST=N", repeats: true, "A limit of its own for one host. The given list replaces all earlier host limits.")
        ] + Command.connection,
        notes: "Example:\n  tintype queues configure bulk --order lifo --max-concurrent 8",
        run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let (method, params) = try request(arguments)
        try await RPCClient.show(method, .object(params), arguments) { table($0.array ?? [$0]) }
        return 0
    }

    private static func request(_ arguments: Arguments) throws(UsageError) -> (String, JSONObject) {
        let words = arguments.words
        let isChange = words.first == "configure"
        let always = Set(Command.connection.map(\.name))
        if !isChange, let option = arguments.options.first(where: { !always.contains($0.name) }) {
            throw UsageError("--\(option.name) is only for tintype queues configure NAME")
        }
        switch (words.count, words.first) {
        case (0, _): return ("queue.list", [:])
        case (1, "pause"), (1, "resume"), (1, "cancel"), (1, "configure"): throw UsageError("missing: the queue's name")
        case (1, let name): return ("queue.get", ["queue": .string(name ?? "")])
        case (2, "pause"): return ("queue.pause", ["queue": .string(words[1])])
        case (2, "resume"): return ("queue.resume", ["queue": .string(words[1])])
        case (2, "cancel"): return ("queue.cancelAll", ["queue": .string(words[1])])
        case (2, "configure"): return ("queue.configure", try change(arguments))
        default:
            throw UsageError("unknown verb \"\(words[0])\"\(NearestName.hint(words[0], among: ["pause", "resume", "cancel", "configure"]))")
        }
    }

    private static func change(_ arguments: Arguments) throws(UsageError) -> JSONObject {
        var params: JSONObject = ["queue": .string(arguments.words[1])]
        for parameter in changes {
            if let option = Option(parameter), let text = arguments[option.name] { params[parameter.name] = parameter.type.value(text) }
        }
        var limits = JSONObject()
        for text in arguments.all("host-limit") {
            let pair = text.split(separator: "=").map(String.init)
            guard pair.count == 2, let number = Int64(pair[1]) else { throw UsageError("--host-limit takes HOST=N, not \"\(text)\"") }
            limits[pair[0]] = .int(number)
        }
        if !limits.isEmpty { params["hostLimits"] = .object(limits) }
        return params
    }

    private static func table(_ queues: [JSON]) -> String {
        var table = Table("queue", "order", "queued", "delayed", "running", "dead", "oldest", "at once", "per host", "workers", "state")
        for queue in queues {
            func number(_ name: String) -> String { queue[name]?.int.map(String.init) ?? "-" }
            let limits = queue["limits"]
            table.add(
                queue["name"]?.string ?? "", queue["order"]?.string ?? "", number("queued"), number("delayed"), number("running"), number("dead"),
                queue["oldestQueuedSeconds"]?.double.map { HumanNumber.seconds($0) } ?? "-", limits?["maxConcurrent"]?.int.map(String.init) ?? "-",
                limits?["maxConcurrentPerHost"]?.int.map(String.init) ?? "-", number("workers"), queue["paused"]?.bool == true ? "paused" : "open")
        }
        return table.text
    }
}
