import TintypeCore
import TintypeImages
import TintypeTransport

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
