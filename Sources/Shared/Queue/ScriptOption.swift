import TintypeCore
import TintypeImages
import TintypeTransport

/// The names of options that Swift sends to scripts, in the order of the alphabet. The header of each script explains its own.
enum ScriptOption: String, Sendable, CaseIterable {
    case accepts, asks, at, attempts, bare, began, begun, blacklist, body, call, callback, chosen, client, concurrency, condition, coordinator
    case coordinatorSilence, cursor, deadline, drains, epoch, event, failure, facts, fetch, fingerprint, first, forgets, from, group, help, host, hosts, index,
        info, jitter
    case joins, keep, kind, latest, lease, listing, listingTime, meta, most, mostBytes, mostSteps, onlyGivenUp, order, outcome, owner, page, part
    case previews, priority, progress, queue, reason, receipt, receiver, resultTime, retryAfter, retryBase, retryCeiling, retryable, share, shares, shows,
        silence,
        source
    case state, strict, supersedeKey, tags, taker, terms, time, timeouts, token, undisturbed, version, waits, within, worker, workerSilence

    /// The names that the texts of the scripts read.
    static let read = Dictionary(
        uniqueKeysWithValues: QueueScript.allCases.map { script in
            let pieces = (QueueScripts.sources[script.rawValue] ?? "").split(separator: "options.").dropFirst()
            return (script, Set(pieces.map { String($0.prefix(while: \.isLetter)) }))
        })
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

    /// Returns a text with the values in place of their names.
    static func filled(_ text: String) -> String {
        text.contains("SWIFT.") ? literals.reduce(text) { $0.replacing("SWIFT.\($1.key)", with: $1.value) } : text
    }

    private static func text(_ value: String) -> String {
        "'" + value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] } + "'"
    }
}
