extension Queue {
    /// Publishes events of a running fetch to its receipts.
    package func progress(_ held: Held, _ events: [FetchEvent]) async throws(RedisError) -> ProgressAnswer {
        var arguments: [RedisArgument] = [.string(held.fetch), .int(held.token)]
        for event in events { arguments += [.string(event.type), .string(event.body.fragment)] }
        return try Self.progressAnswer(scripts.progress, await run(scripts.progress, arguments))
    }

    /// Reports one rendition while others are still being made; receipts that now have everything end.
    /// - Parameter metrics: as in `FetchOutcome.success`, as far as known.
    package func rendition(_ held: Held, _ outcome: RenditionOutcome, metrics: JSONObject = JSONObject()) async throws(RedisError) -> ProgressAnswer {
        let arguments = [.string(held.fetch), .int(held.token), .string(Self.metrics(metrics))] + Self.arguments(outcome)
        return try Self.progressAnswer(scripts.rendition, await run(scripts.rendition, arguments))
    }

    /// Ends a run. Repeat it until it is answered: a repetition does no harm, and a late one is refused.
    package func finish(_ held: Held, _ outcome: FetchOutcome) async throws(RedisError) -> FinishAnswer {
        var arguments: [RedisArgument] = [.string(held.fetch), .int(held.token)]
        let script: LuaScript
        switch outcome {
        case .success(let metrics, let renditions):
            script = scripts.finish
            arguments.append(.string(Self.metrics(metrics)))
            for rendition in renditions { arguments += Self.arguments(rendition) }
        case .failure(let error, let retryAfter):
            script = scripts.fail
            arguments += [
                .string(error.json.text), error.isRetryable ? "1" : "0", .int(Self.milliseconds(retryAfter ?? 0)), dice(),
            ]
        case .cancelled:
            script = scripts.release
        }
        let reply = try await run(script, arguments)
        switch reply.array?.first?.string ?? reply.string {
        case "OK": return .done
        case "DUP": return .duplicate
        case "STALE": return .stale
        case "MORE": return .more(Self.renditions(Array((reply.array ?? []).dropFirst())).owed)
        default: throw Self.unexpected(script, reply)
        }
    }

    private nonisolated static func arguments(_ outcome: RenditionOutcome) -> [RedisArgument] {
        switch outcome.result {
        case .success(let info, let source, let description, let ttlSeconds):
            [
                .string(outcome.digest), "ok", .string(JSON.object(info).text), .string(JSON.object(source).text),
                .string(description.map { JSON.object($0).text } ?? ""), .int(max(0, milliseconds(ttlSeconds))),
            ]
        case .failure(let error):
            [.string(outcome.digest), "err", .string(error.json.text), "", "", 0]
        }
    }

    /// The scripts add `queued` and `total` themselves, for each receipt.
    private nonisolated static func metrics(_ metrics: JSONObject) -> String {
        var metrics = metrics
        metrics["queued"] = nil
        metrics["total"] = nil
        return JSON.object(metrics).text
    }

    private nonisolated static func progressAnswer(_ script: LuaScript, _ reply: RedisReply) throws(RedisError) -> ProgressAnswer {
        switch reply.string {
        case "OK": .ok
        case "STALE": .stale
        case "CANCEL": .cancel
        default: throw unexpected(script, reply)
        }
    }

    /// A number from 0 to 1 for a script, which has no dice of its own.
    func dice() -> RedisArgument { .string("\(jitter ?? Double(Int.random(in: 0...1000)) / 1000)") }
}
