import Console
import TintypeCore

/// One line of `tintype doctor`. Its texts have no URL with a password in them, wherever they come from. A value.
struct Finding: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable {
        case ok, warn, fail
    }

    let verdict: Verdict
    /// The name of the check, in a few words.
    let name: String
    /// The facts that were found.
    let found: String
    /// The remedy; nil where nothing has to be done.
    let advice: String?

    private init(_ verdict: Verdict, _ name: String, _ found: String, _ advice: String?) {
        (self.verdict, self.name) = (verdict, name)
        (self.found, self.advice) = (RedactedText(found).description, advice.map { RedactedText($0).description })
    }

    static func ok(_ name: String, _ found: String) -> Finding { Finding(.ok, name, found, nil) }
    static func warn(_ name: String, _ found: String, _ advice: String) -> Finding { Finding(.warn, name, found, advice) }
    static func fail(_ name: String, _ found: String, _ advice: String) -> Finding { Finding(.fail, name, found, advice) }

    var json: JSON {
        var object: JSONObject = ["verdict": .string(verdict.rawValue), "name": .string(name), "found": .string(found)]
        object["advice"] = advice.map { .string($0) }
        return .object(object)
    }

    /// Returns the lines `ok|warn|fail  name  what was found  — what to do`, and the counts.
    static func text(_ findings: [Finding]) -> String {
        let width = findings.map(\.name.count).max() ?? 0
        let lines = findings.map { finding in
            let name = finding.name + String(repeating: " ", count: width - finding.name.count)
            let verdict = finding.verdict.rawValue + (finding.verdict == .ok ? "  " : "")
            return "\(verdict)  \(name)  \(finding.found.plain)" + (finding.advice.map { "  — \($0.plain)" } ?? "")
        }
        let counts = [Verdict.ok, .warn, .fail].map { verdict in "\(findings.count { $0.verdict == verdict }) \(verdict.rawValue)" }
        return (lines + [counts.joined(separator: ", ")]).joined(separator: "\n")
    }

    /// Returns all findings for a program.
    static func json(_ findings: [Finding]) -> JSON {
        ["failed": .bool(hasFailed(findings)), "checks": .array(findings.map(\.json))]
    }

    static func hasFailed(_ findings: [Finding]) -> Bool { findings.contains { $0.verdict == .fail } }
}
