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
        return try Self.known(Self.submitAnswer(reply), of: .submit)
    }

    private func arguments(_ s: Submission) -> ScriptArguments {
        let progress = s.wantsProgress || s.previews != nil ? max(1, Self.milliseconds(s.progressInterval)) : nil
        return ScriptArguments(
            .submit,
            [
                .receipt: .string(s.receipt), .coordinator: .string(s.coordinator), .fingerprint: .string(s.fingerprint), .source: .string(s.source),
                .hosts: .string(s.mirrors.isEmpty ? s.host : ([s.host] + s.mirrors).joined(separator: " ")), .fetch: .string(s.fetch),
                .priority: .int(Int64(s.priority), unless: 0), .order: .ifAny(s.order?.rawValue), .deadline: .int(Self.milliseconds(s.deadlineSeconds)),
                .attempts: .int(Int64(s.maxAttempts), unless: Int64(Submission.usualAttempts)),
                .retryBase: .int(Int64(s.retryBaseMilliseconds), unless: Int64(Submission.usualRetryBase)),
                .retryCeiling: .int(Int64(s.retryMaxMilliseconds), unless: Int64(Submission.usualRetryCeiling)), .meta: .ifAny(s.meta),
                .progress: progress.map { .int($0) }, .previews: .ifAny(s.previews?.queued),
                .index: s.readResults ? s.isVerified ? "read" : "verify" : nil, .shows: .flag(s.showsCached),
                .version: .int(Int64(s.version), unless: 0), .within: s.newerThan.map { .int(max(0, Self.milliseconds($0))) },
                .joins: .ifAny(s.joining.word), .forgets: .flag(!s.keepsSource),
                .keep: .int(Self.milliseconds(s.keepSeconds), unless: Self.milliseconds(Submission.usualKeep)),
                .resultTime: s.resultTime == .whileFresh ? nil : .string(s.resultTime.word), .terms: .ifAny(s.terms.words),
                .callback: .ifAny(s.callback?.queued), .blacklist: .ifAny(s.blacklist.word), .asks: .flag(s.asksIfListed),
                .accepts: .ifAny(s.takes.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")), .supersedeKey: .ifAny(s.supersedeKey),
                .timeouts: .ifAny(s.timeouts?.queued), .chosen: .flag(s.isChosen && name == Self.judge), .bare: .ifAny(s.bare),
                .client: .string(s.client), .lease: .int(times.lease.milliseconds), .tags: .ifAny(s.tags.joined(separator: " ")),
            ], items: s.renditions.flatMap { [.string($0.digest), .string(JSON.string($0.name).text), .string($0.json)] })
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
