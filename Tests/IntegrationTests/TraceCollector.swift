import Foundation
import TestSupport
import TintypeCore
import Testing

/// A collector of traces that reads spans by the published messages of OTLP: Clients/otlp_collector.py.
struct TraceCollector {
    struct Span: Sendable {
        let json: JSON
        var name: String { json["name"]?.string ?? "" }
        var trace: String { json["trace"]?.string ?? "" }
        var id: String { json["span"]?.string ?? "" }
        var parent: String { json["parent"]?.string ?? "" }
        var kind: Int { json["kind"]?.int ?? 0 }
        var error: String? { json["error"]?.string }
        var events: [String] { json["events"]?.strings ?? [] }
        var links: [String] { json["links"]?.strings ?? [] }
        subscript(attribute: String) -> JSON? { json["attributes"]?[attribute] }
    }

    let process: ChildProcess
    private let port: Substring

    init() async throws {
        let python = try #require(ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"].flatMap { $0.isEmpty ? nil : $0 }, "run the tests by scripts/test")
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Clients"
        process = try ChildProcess(python, ["-u", "\(folder)/otlp_collector.py"])
        port = try await process.line(beginning: "ready ").dropFirst(6)
        TestScope.ends(process)
    }

    /// The place in a trace that a client names.
    static func context(_ digit: Character, sampled: Bool = true) -> (trace: String, parent: String) {
        let trace = String(repeating: digit, count: 32)
        return (trace, "00-\(trace)-00f067aa0ba902b7-\(sampled ? "01" : "00")")
    }

    /// The member of the parameters that names the place.
    static func meta(_ parent: String) -> String { #""_meta":{"traceparent":"\#(parent)","tracestate":"vendor=1","other":true}"# }

    /// The environment of a program that sends its spans here.
    /// - Parameter answers: the statuses of the answers, in turn. `200-3` tells of three rejected spans.
    func environment(_ answers: String = "200", _ more: [String: String] = [:]) -> [String: String] {
        [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(port)/\(answers)", "OTEL_BSP_SCHEDULE_DELAY": "20",
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20key",
        ].merging(more) { $1 }
    }

    /// The parameter of a callback that comes here.
    var callback: String { #"{"url":"http://127.0.0.1:\#(port)/callback"}"# }

    private func lines(_ word: String) -> [JSON] {
        process.output.split(separator: "\n").filter { $0.hasPrefix(word + " ") }.compactMap { try? JSON(parsing: String($0.dropFirst(word.count + 1))) }
    }

    var spans: [Span] { lines("span").map { Span(json: $0) } }
    var posts: [JSON] { lines("post") }
    var callbacks: [JSON] { lines("callback") }
    /// Whether a message was not as OTLP says.
    var complaints: [Substring] { process.output.split(separator: "\n").filter { $0.hasPrefix("wrong ") } }

    /// Returns the spans of a trace when these names are among them.
    func spans(of trace: String, until names: Set<String>) async throws -> [Span] {
        do {
            try await Gate.until("the collector has the spans") { names.isSubset(of: spans.filter { $0.trace == trace }.map(\.name)) || !complaints.isEmpty }
        } catch {
            Issue.record("there are \(spans.map { "\($0.trace) \($0.name)" }); \(process.errors)")
        }
        #expect(complaints.isEmpty, "\(complaints)")
        return spans.filter { $0.trace == trace }
    }
}
