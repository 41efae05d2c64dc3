import TintypeCore
import TintypeTransport

/// The report of a failure for a person or a program, and its exit status.
struct FailureReport {
    /// Empty where the command line names no command.
    private let command: String
    private let error: any Error

    init(_ error: any Error, command: String) {
        self.error = error
        self.command = command
    }

    /// Prints the report and returns the exit status. People read it on standard error, programs (`json`) on standard output.
    func print(json: Bool) -> Int32 {
        // When standard output cannot be written, the report at least reaches standard error.
        if !json || (try? Output.json(["error": object])) == nil { Output.note(text) }
        return status
    }

    private var status: Int32 {
        switch error {
        case is UsageError: 2
        case ClientFailure.refused(let error) where error.name == .invalidParams: 2
        default: 1
        }
    }

    var text: String {
        let start = command.isEmpty ? "tintype: " : "tintype \(command): "
        switch error {
        case let error as UsageError:
            return error.mistakes.map { start + $0.plain }.joined(separator: "\n")
                + "\ntintype help \(command.isEmpty ? "lists the commands" : command + " shows every option")"
        case ClientFailure.refused(let error) where error.name == .unauthenticated:
            return start + "\(error.message.plain)\nname the file with the token: --token-file PATH or TINTYPE_TOKEN_FILE"
        case ClientFailure.refused(let error), let error as TintypeError: return start + error.sentence
        default:
            let broken = if case ClientFailure.lost = error { "the connection to the coordinator broke: " } else { "" }
            return start + broken + facts.message.plain + facts.hint
        }
    }

    /// The failure for programs, and a hint for people.
    private var facts: (name: String, message: String, hint: String) {
        let published = "\nif the coordinator's HTTP port is published elsewhere (a container, a tunnel), name that with --http HOST:PORT"
        return switch error {
        case let error as UsageError: ("usage", error.mistakes.joined(separator: "; "), "")
        case ClientFailure.unreachable(let address, let reason):
            ("unreachable", "no coordinator at \(address): \(reason)", "\nstart one with `tintype up`, or name another with --coordinator HOST:PORT")
        case ClientFailure.lost(let reason): ("connectionLost", reason, "")
        case ClientFailure.http(let reason): ("http", reason, "")
        case ClientFailure.resultsUnreachable(let address, let reason):
            ("resultsUnreachable", "the image is ready, but the address of the results, \(address), does not answer: \(reason)", published)
        case ClientFailure.httpUnreachable(let address, let reason):
            ("unreachable", "the coordinator's HTTP port at \(address), which takes the bytes, does not answer: \(reason)", published)
        default: ("failed", "\(error)", "")
        }
    }

    private var object: JSON {
        switch error {
        case ClientFailure.refused(let error), let error as TintypeError: error.json
        default: ["name": .string(facts.name), "message": .string(facts.message)]
        }
    }
}

extension TintypeError {
    /// The failure, its phase and the details that help, on as many lines as needed. Control characters are escaped, because an origin may have
    /// chosen the text.
    var sentence: String {
        var text = "\(message.plain) (\(name.rawValue) \(name.code), \(phase.rawValue))"
        if let causes = details["causes"]?.array, causes.count > 1 {
            let runs = causes.map { ($0["name"]?.string ?? "") + ($0["status"].map { " \($0.text)" } ?? "") }
            text += "\n  tried \(runs.count) times: \(runs.joined(separator: ", ").plain)"
        }
        for (key, value) in details.members where !["url", "path", "value", "headers", "causes"].contains(key) {
            let shown = value.string ?? value.text
            if !shown.isEmpty, !message.contains(shown) { text += "\n  \(key.plain): \(String(shown.prefix(300)).plain)" }
        }
        if isRetryable { text += "\n  trying again later may help" }
        return text
    }
}
