import TintypeCore
package import TintypeTransport
import TintypeImages

extension Queue {
    /// Accepts a receipt: answers it from the result index, joins it to a live fetch of the same source, or queues a new fetch.
    ///
    /// Repeating the same receipt is harmless. Its `queued` event is published too, and its terminal event if it ends at once. Both also go to the
    /// coordinator's channel, perhaps before this answer arrives.
    /// - Throws: `.outOfMemory` when Redis is full. Nothing was changed then.
    package func submit(_ s: Submission) async throws(RedisError) -> SubmitAnswer {
        let arguments = arguments(s)
        var reply = try await run(arguments)
        while SubmitReply(reply) == .late {
            _ = try await cancel(receipt: s.receipt, failure: Self.deadlineExceeded)
            reply = try await run(arguments)
        }
        guard let answer = Self.submitAnswer(reply) else { throw Self.unexpected(.submit, reply) }
        return answer
    }

    private func arguments(_ s: Submission) -> ScriptArguments {
        var arguments = ScriptArguments(.submit, capacity: 40 + 3 * s.renditions.count)
        arguments.add(.receipt, s.receipt)
        arguments.add(.coordinator, s.coordinator)
        arguments.add(.fingerprint, s.fingerprint)
        arguments.add(.source, s.source)
        arguments.add(.hosts, s.mirrors.isEmpty ? s.host : ([s.host] + s.mirrors).joined(separator: " "))
        arguments.add(.fetch, s.fetch)
        arguments.add(.priority, Int64(s.priority), unless: 0)
        arguments.add(.order, ifAny: s.order?.rawValue)
        arguments.add(.deadline, .int(Self.milliseconds(s.deadlineSeconds)))
        arguments.add(.attempts, Int64(s.maxAttempts), unless: Int64(Submission.usualAttempts))
        arguments.add(.retryBase, Int64(s.retryBaseMilliseconds), unless: Int64(Submission.usualRetryBase))
        arguments.add(.retryCeiling, Int64(s.retryMaxMilliseconds), unless: Int64(Submission.usualRetryCeiling))
        arguments.add(.meta, ifAny: s.meta)
        if s.wantsProgress || s.previews != nil { arguments.add(.progress, .int(max(1, Self.milliseconds(s.progressInterval)))) }
        arguments.add(.previews, ifAny: s.previews?.queued)
        if s.readResults { arguments.add(.index, s.isVerified ? "read" : "verify") }
        arguments.add(.shows, if: s.showsCached)
        arguments.add(.version, Int64(s.version), unless: 0)
        if let age = s.newerThan { arguments.add(.within, .int(max(0, Self.milliseconds(age)))) }
        arguments.add(.joins, ifAny: s.joining.word)
        arguments.add(.forgets, if: !s.keepsSource)
        arguments.add(.keep, Self.milliseconds(s.keepSeconds), unless: Self.milliseconds(Submission.usualKeep))
        if s.resultTime != .whileFresh { arguments.add(.resultTime, s.resultTime.word) }
        arguments.add(.terms, ifAny: s.terms.words)
        arguments.add(.callback, ifAny: s.callback?.queued)
        arguments.add(.blacklist, ifAny: s.blacklist.word)
        arguments.add(.asks, if: s.asksIfListed)
        arguments.add(.accepts, ifAny: s.takes.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " "))
        arguments.add(.supersedeKey, ifAny: s.supersedeKey)
        arguments.add(.timeouts, ifAny: s.timeouts?.queued)
        arguments.add(.chosen, if: s.isChosen && name == Self.judge)
        arguments.add(.bare, ifAny: s.bare)
        arguments.add(.client, s.client)
        arguments.add(.lease, .int(times.lease.milliseconds))
        arguments.add(.tags, ifAny: s.tags.joined(separator: " "))
        arguments.add(items: s.renditions.flatMap { [.string($0.digest), .string(JSON.string($0.name).text), .string($0.json)] })
        return arguments
    }

    private nonisolated static func submitAnswer(_ reply: RedisReply) -> SubmitAnswer? {
        let words = reply.array ?? []
        switch SubmitReply(reply) {
        case .mismatch: return .mismatch
        case .unknown: return .unknownQueue
        case .listed: return words.count > 1 ? words[1].string.flatMap { try? JSON(parsing: $0) }.map { .listed($0) } : nil
        case .indexed:
            return .indexed(
                stride(from: 1, to: words.count - 1, by: 2).compactMap { index in
                    words[index].string.map { digest in
                        Indexed(digest, sha256: words[index + 1].string.flatMap { $0.isEmpty ? nil : $0 })
                    }
                })
        case .full: return words.count > 1 ? words[1].int.map { .full(retryAfterSeconds: Double($0) / 1000) } : nil
        case .finished: return ending(words.dropFirst()).map { .finished($0) }
        case .new: return live(words).map { .queued(state: $0.state, position: $0.position, joined: false) }
        case .joined: return live(words).map { .queued(state: $0.state, position: $0.position, joined: true) }
        case .again:
            guard let live = live(words), words.count > 3 else { return nil }
            return words[3].int.map { .again(state: live.state, position: live.position, seq: Int($0)) }
        case .late, nil: return nil
        }
    }

    /// Reads word, state, position.
    private nonisolated static func live(_ words: [RedisReply]) -> (state: ReceiptState, position: Int?)? {
        guard words.count >= 3, let state = words[1].string.flatMap({ ReceiptState(rawValue: $0) }), let place = words[2].int else { return nil }
        return (state, place < 0 ? nil : Int(place))
    }

    /// Reads state, seq, at, body, perhaps a superseded receipt, perhaps the body of its `cached` event.
    nonisolated static func ending(_ words: ArraySlice<RedisReply>) -> Ending? {
        let words = Array(words)
        guard words.count >= 4, let state = words[0].string.flatMap({ ReceiptState(rawValue: $0) }), let seq = words[1].int,
            let at = words[2].string, let body = words[3].string
        else { return nil }
        var ending = Ending(state: state, seq: Int(seq), at: at, body: body)
        ending.superseded = words.count > 4 ? words[4].string : nil
        ending.shown = words.count > 5 ? words[5].string : nil
        return ending
    }

    nonisolated static func milliseconds(_ seconds: Double) -> Int64 {
        Int64((seconds * 1000).rounded().clamped(to: -1...1e13))  // bounded: by the clamp
    }
}

extension Double {
    func clamped(to range: ClosedRange<Double>) -> Double { isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
