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
        var arguments: [RedisArgument] = [
            .string(s.receipt), .string(s.coordinator), .string(s.fingerprint), .string(s.source),
            .string(([s.host] + s.mirrors).joined(separator: " ")), .string(s.fetch),
            .int(Int64(s.priority)), .string(s.order?.letter ?? ""), .int(Self.milliseconds(s.deadlineSeconds)),
            .int(Int64(s.maxAttempts)), .int(Int64(s.retryBaseMilliseconds)), .int(Int64(s.retryMaxMilliseconds)), .string(s.meta),
            Self.watching(s), Self.reading(s), .string(s.joining.rawValue + (s.keepsSource ? "" : "-")), .int(Self.milliseconds(s.keepSeconds)),
            .int(Self.milliseconds(s.resultTTL)), .string(s.terms.letters), .string(s.callback?.queued ?? ""),
            .string(s.blacklist.letter + (s.asksIfListed ? "?" : "") + s.takes.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")),
            .string(s.slot ?? ""), .string(s.timeouts?.queued ?? ""), s.isChosen && name == Self.judge ? "1" : "", .string(s.bare), .string(s.client),
            .int(times.lease.milliseconds),
        ]
        for rendition in s.renditions {
            arguments += [.string(rendition.digest), .string(JSON.string(rendition.name).text), .string(rendition.json)]
        }
        let script: QueueScript = s.slot == nil ? .submit : .submitSuperseding
        var reply = try await run(script, arguments)
        while SubmitReply(reply) == .late {
            _ = try await drop(receipt: s.receipt, failure: Self.deadlineExceeded)
            reply = try await run(script, arguments)
        }
        guard let answer = Self.submitAnswer(reply) else { throw Self.unexpected(.submit, reply) }
        return answer
    }

    private nonisolated static func watching(_ s: Submission) -> RedisArgument {
        let pace = "\(max(1, milliseconds(s.progressInterval)))"
        if let previews = s.previews { return .string("\(pace) \(previews.queued)") }
        return s.wantsProgress ? .string(pace) : "0"
    }

    private nonisolated static func reading(_ s: Submission) -> RedisArgument {
        guard s.showsCached || s.version != 0 || s.newerThan != nil else { return s.readResults ? s.isVerified ? "1" : "?" : "0" }
        return .string(
            (s.readResults ? s.isVerified ? "1" : "?" : "0") + (s.showsCached ? "c" : "") + (s.version != 0 ? "\(s.version)" : "")
                + (s.newerThan.map { ":\(max(0, milliseconds($0)))" } ?? ""))
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
        guard words.count >= 3, let state = words[1].string.flatMap({ ReceiptState(script: $0) }), let place = words[2].int else { return nil }
        return (state, place < 0 ? nil : Int(place))
    }

    /// Reads state, seq, at, body, perhaps a superseded receipt, perhaps the body of its `cached` event.
    nonisolated static func ending(_ words: ArraySlice<RedisReply>) -> Ending? {
        let words = Array(words)
        guard words.count >= 4, let state = words[0].string.flatMap({ ReceiptState(script: $0) }), let seq = words[1].int,
            let at = words[2].string, let body = words[3].string
        else { return nil }
        var ending = Ending(state: state, seq: Int(seq), at: at, body: body)
        ending.superseded = words.count > 4 ? words[4].string : nil
        ending.shown = words.count > 5 ? words[5].string : nil
        return ending
    }

    nonisolated static func milliseconds(_ seconds: Double) -> Int64 {
        Int64((seconds * 1000).rounded().clamped(to: -1...1e13))
    }
}

extension Double {
    func clamped(to range: ClosedRange<Double>) -> Double { isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
