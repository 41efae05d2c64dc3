import TintypeCore
import TintypeImages
import TintypeTransport

/// The names of options that Swift sends to scripts, in the order of the alphabet. The header of each script says what they mean there.
enum ScriptOption: String, Sendable, CaseIterable {
    case accepts, asks, at, attempts, bare, began, begun, blacklist, body, call, callback, chosen, client, concurrency, condition, coordinator
    case coordinatorSilence, cursor, deadline, drains, epoch, event, failure, facts, fetch, fingerprint, first, forgets, from, group, help, host, hosts, index,
        info, jitter
    case joins, keep, kind, latest, lease, listing, listingTime, meta, most, mostBytes, mostSteps, onlyGivenUp, order, outcome, owner, page, part
    case previews, priority, progress, queue, reason, receipt, receiver, resultTime, retryAfter, retryBase, retryCeiling, retryable, share, shares, shows,
        silence,
        source
    case state, strict, supersedeKey, tags, taker, terms, time, timeouts, token, undisturbed, version, waits, within, worker, workerSilence
}

extension QueueScript {
    /// The options that the script reads, in the order of its header; nil for a script whose arguments have fixed places.
    var options: [ScriptOption]? {
        switch self {
        case .submit, .submitSuperseding:
            [
                .receipt, .coordinator, .fingerprint, .source, .hosts, .fetch, .priority, .order, .deadline, .attempts, .retryBase, .retryCeiling, .meta,
                .progress, .previews, .index, .shows, .version, .within, .joins, .forgets, .keep, .resultTime, .terms, .callback, .blacklist, .asks,
                .accepts, .supersedeKey, .timeouts, .chosen, .bare, .client, .lease, .tags,
            ]
        case .reserve: [.receipt, .queue, .token, .time]
        case .drop: [.receipt, .reason, .failure, .owner, .group, .condition, .lease]
        case .snapshot: [.taker, .waits, .lease]
        case .rendition, .finish: [.fetch, .token, .facts]
        case .fail: [.fetch, .token, .failure, .retryable, .retryAfter, .jitter, .listing, .listingTime, .host]
        case .workerHeartbeat: [.worker, .info, .lease, .drains]
        case .reap: [.most, .jitter, .failure, .workerSilence, .coordinatorSilence, .latest, .undisturbed]
        case .abandon: [.coordinator, .cursor, .page, .silence]
        case .callbackStore: [.receipt, .receiver, .event, .coordinator, .fingerprint, .meta, .terms, .at, .body, .keep]
        case .share: [.epoch, .coordinator, .share, .most, .help]
        case .lent: [.queue, .epoch, .coordinator, .shares]
        case .place: [.receipt, .queue, .keep, .state]
        case .queueEmpty: [.page, .reason, .cursor, .began]
        case .purge: [.most, .keep]
        case .purgeRuns: [.cursor, .page]
        case .groupStart: [.group, .coordinator, .lease, .kind, .strict, .concurrency, .owner]
        case .groupAppend: [.group, .call, .mostSteps, .mostBytes]
        case .groupDrive: [.coordinator, .lease, .most, .onlyGivenUp, .failure]
        case .groupBegin: [.group, .token, .index, .begun]
        case .groupSettle: [.group, .token, .index, .outcome, .failure, .from]
        case .groupRead: [.group, .part, .first, .most, .mostBytes]
        case .priority, .pause, .leave, .claim, .progress, .release, .expire, .throttle, .workerDrain, .workerRemove, .coordinatorHeartbeat, .callbacksLease,
            .callbackSettle, .info, .configure, .defaults, .queueRemove, .queueNameRemove, .deadLetters, .deadLettersRemove, .blacklist, .blacklistRemove,
            .purgeMark, .dump, .inspect, .groupCancel:
            nil
        }
    }
}

/// Values that Swift and the scripts have in common. Each is written once, in Swift; the scripts name it as `SWIFT.name`.
enum ScriptConstants {
    /// The Lua text of each value.
    static let literals: [String: String] = [
        "schema": text(RedisSchema.number),
        "maxAttempts": text("\(Submission.usualAttempts)"),
        "retryBase": text("\(Submission.usualRetryBase)"),
        "retryCeiling": text("\(Submission.usualRetryCeiling)"),
        "resultTime": text(ResultTime.whileFresh.word),
        "keep": text("\(Queue.milliseconds(Submission.usualKeep))"),
        "timeouts": text(FetchOptions.Timeouts().queued),
        "band": "\(Int(QueueInvariants.band))",
        "middle": "\(Int(QueueInvariants.middle))",
        "parked": text("\(Int(QueueInvariants.parked))"),
        "deadlineExceeded": text(Queue.deadlineExceeded.json.text),
        "noTimes": text(ResultTimes.none.text),
    ]

    private static let mark = "SWIFT."

    /// Returns a line with the values in place of their names.
    static func filled(_ line: Substring, orThrow mistake: (String) -> ScriptMistake) throws(ScriptMistake) -> Substring {
        guard line.utf8.count > mark.utf8.count, let start = line.firstRange(of: mark) else { return line }
        let rest = line[start.upperBound...]
        let name = rest.prefix { $0.isLetter }
        guard let literal = literals[String(name)] else { throw mistake("\(mark)\(name) is no value of `ScriptConstants`") }
        return Substring(line[..<start.lowerBound] + literal) + (try filled(rest[name.endIndex...], orThrow: mistake))
    }

    private static func text(_ value: String) -> String {
        "'" + value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] } + "'"
    }
}
