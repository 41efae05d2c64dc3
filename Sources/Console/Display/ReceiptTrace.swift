import TintypeCore
import TintypeImages

/// The way of one receipt, from its admission to its end, made of the answer of `receipt.get`. Pure.
struct ReceiptTrace: Sendable {
    /// A part of the way, by its duration. No part contains another.
    ///
    /// A receipt does not tell when a part began: there may be waits between them, and parts of several renditions are sums.
    struct Phase: Sendable, Hashable {
        let name: String
        let seconds: Double
    }

    private let answer: JSON
    private let metrics: JSON?
    /// The parts in their order; empty where the service does not tell them.
    let phases: [Phase]
    /// Seconds from the admission to the end.
    let total: Double?
    /// Whether the receipt joined a fetch that ran already: then some of the work was done before the receipt was there.
    let hasJoined: Bool

    /// - Parameter answer: of `receipt.get`.
    init(_ answer: JSON) {
        self.answer = answer
        let metrics = answer["result"]?["metrics"]
        func seconds(_ name: String) -> Double {
            let seconds = metrics?[name]?.double ?? 0
            return (0..<1e9).contains(seconds) ? seconds : 0
        }
        let transfer = TransferParts(seconds)
        let parts: [(String, Double)] = [
            ("queue", seconds("queued")), ("dns", seconds("dns")), ("connect", seconds("connect")), ("tls", seconds("tls")),
            ("first byte", transfer.firstByte), ("download", transfer.download),
            ("decode", seconds("decode")), ("transform", seconds("transform")), ("encode", seconds("encode")), ("store", seconds("store")),
        ]
        let total = metrics.map { _ in seconds("total") }
        let worked = parts.reduce(0) { $0 + $1.1 }
        var phases = parts.filter { $0.1 > 0 }.map { Phase(name: $0.0, seconds: $0.1) }
        if let total, !phases.isEmpty, total - worked > 0.0005 { phases.append(Phase(name: Self.rest, seconds: total - worked)) }
        hasJoined = total.map { $0 + 0.001 < worked } ?? false
        (self.metrics, self.phases, self.total) = (metrics, phases, total)
    }

    private var error: JSON? { answer["error"] ?? answer["result"]?["error"] }
    private var causes: [String] {
        let causes = answer["result"]?["causes"]?.array ?? error?["data"]?["causes"]?.array ?? []
        return causes.map { ($0["name"]?.string ?? "") + ($0["status"].map { " \($0.text)" } ?? "") }
    }
    private var attempts: Int? { answer["attempts"]?.int ?? answer["result"]?["attempts"]?.int ?? error?["data"]?["attempts"]?.int }
    private var worker: String? { answer["worker"]?.string ?? answer["result"]?["worker"]?.string }
    /// The id under which a tracing system has the receipt; nil before its end, and if its request named no trace.
    private var trace: String? { answer["result"]?.object.flatMap { TraceContext(members: $0) }?.trace.description }

    /// Returns what did not need work of its own, in a sentence; nil for a receipt with a fetch of its own.
    private var sharing: String? {
        switch answer["result"]?["from"]?.string {
        case "memory"?, "results"?: "an earlier result answered it: no fetch, no download"
        case "sources"?: "made of a source that was downloaded before"
        case _ where hasJoined: "it joined a fetch that ran already: some of the work was done before it came"
        default: nil
        }
    }

    /// The time that no phase has: the waits between the phases, and the work on other renditions of the fetch. It stands at the end.
    private static let rest = "other"
    private static let legend = "phases by their duration, in their order; waits between them are in other, at the end"
    private static let bar = 40

    /// Returns the lines for people.
    /// - Parameter events: what was heard while the command waited.
    func text(_ events: TraceEvents = TraceEvents()) -> String {
        let state = answer["state"]?.string ?? "unknown"
        var first = "\((answer["receipt"]?.string ?? "").plain) \(state.plain)"
        if let total { first += " in \(HumanNumber.seconds(total))" }
        if let from = answer["result"]?["from"]?.string { first += ", from \(from.plain)" }
        if let position = answer["position"]?.int { first += ", place \(position)" }
        var lines = [first]
        if let source = answer["result"]?["source"], source["url"] != nil { lines.append(ResultText.source(ImageResult.Source(json: source))) }
        if let trace { lines.append("trace \(trace.plain)") }
        if let runs { lines.append(runs) }
        if let sharing { lines.append(sharing) }
        lines += events.lines
        if !phases.isEmpty {
            lines += [Self.legend, waterfall]
        } else if let lack {
            lines.append(lack)
        }
        if let error { lines.append(TintypeError(json: error).sentence) }
        return lines.joined(separator: "\n")
    }

    private var runs: String? {
        guard let attempts, attempts > 0 else { return nil }
        var text = attempts == 1 ? "one attempt" : "\(attempts) attempts"
        if let worker { text += ", worker \(worker.plain)" }
        if !causes.isEmpty { text += "; failed: \(causes.joined(separator: ", ").plain)" }
        if attempts > 1, phases.contains(where: { $0.name == "queue" }) { text += " (the queue's time contains them and the pauses between them)" }
        return text
    }

    /// Why an ended receipt has no phases; nil for one that needed none, or has not ended.
    private var lack: String? {
        switch answer["state"]?.string {
        case "failed"?, "cancelled"?: "no phases: only results have them; the error names the phase in which it came"
        case _: nil
        }
    }

    private var waterfall: String {
        let whole = max(total ?? 0, phases.reduce(0) { $0 + $1.seconds })
        var table = Table("phase", "time", "part of the whole")
        var before = 0.0
        for phase in phases {
            // A phase is at least a column wide, and stays within the picture.
            let start = min(Self.bar - 1, Int(before / whole * Double(Self.bar)))
            before += phase.seconds
            let end = min(Self.bar, max(start + 1, Int((before / whole * Double(Self.bar)).rounded())))
            table.add(
                phase.name, HumanNumber.seconds(phase.seconds),
                String(repeating: "·", count: start) + String(repeating: "█", count: end - start) + String(repeating: "·", count: Self.bar - end))
        }
        return table.text
    }

    /// Returns the same for programs.
    func json(_ events: TraceEvents = TraceEvents()) -> JSON {
        var object: JSONObject = ["receipt": answer["receipt"] ?? .null, "state": answer["state"] ?? .null]
        object["totalSeconds"] = total.map { JSON($0) }
        object["from"] = answer["result"]?["from"]
        object["trace"] = trace.map { .string($0) }
        object["worker"] = worker.map { .string($0) }
        object["attempts"] = attempts.map { JSON($0) }
        object["causes"] = causes.isEmpty ? nil : .array(causes.map { .string($0) })
        object["joined"] = .bool(hasJoined)
        object["phases"] = .array(phases.map { ["name": .string($0.name), "seconds": JSON(($0.seconds * 1e6).rounded() / 1e6)] })
        object["events"] = events.all.isEmpty ? nil : .array(events.all)
        object["error"] = error
        return .object(object)
    }
}

/// The events of a receipt that came while a command waited for its end. Pure.
struct TraceEvents: Sendable {
    /// As they came.
    private(set) var all: [JSON] = []

    /// The events that are kept: progress may come many times a second.
    private static let most = 500

    mutating func take(_ event: JSON) {
        guard all.count < Self.most, event["type"]?.string != "preview" else { return }
        // Only a new phase is news.
        if event["type"] == "progress", all.last?["type"] == "progress", all.last?["phase"] == event["phase"] { all.removeLast() }
        all.append(event)
    }

    /// Returns a line for each event, with the seconds since the first one.
    var lines: [String] {
        guard let first = all.first?["at"]?.double else { return [] }
        return all.map { event in
            let since = (event["at"]?.double ?? first) - first
            return "+\(HumanNumber.seconds(max(0, since)))  \(Self.words(event).plain)"
        }
    }

    private static func words(_ event: JSON) -> String {
        switch event["type"]?.string ?? "" {
        case "queued": return "queued" + (event["position"]?.int.map { ", \($0) before it" } ?? ", waits for its next attempt")
        case "started": return "attempt \(event["attempt"]?.int ?? 1) begins at worker \(event["worker"]?.string ?? "?")"
        case "response":
            return "the origin answers \(event["status"]?.int ?? 0)" + (event["expectedBytes"]?.int.map { ", \(HumanNumber.bytes($0)) to come" } ?? "")
        case "progress":
            return "\(event["phase"]?.string ?? "")" + (event["receivedBytes"]?.int.map { ", \(HumanNumber.bytes($0)) received" } ?? "")
        case "rendition": return "the rendition \(event["name"]?.string ?? "") is stored"
        case "retrying":
            let error = event["error"]
            let data = error?["data"]
            let status = data?["status"]?.int
            let reason = (data?["name"]?.string ?? error?["message"]?.string ?? "?") + (status.map { " \($0)" } ?? "")
            // By these a host asks for a pause, which the queue keeps (docs/queues.md, Hosts).
            let isHeld = status == 429 || status == 503
            return "it fails: \(reason); the next attempt begins after \(HumanNumber.seconds(event["delay"]?.double ?? 0))"
                + (isHeld ? ", or when the host is no longer throttled" : "")
        case "failed": return "failed: \(event["error"]?["data"]?["name"]?.string ?? "")"
        case "cancelled": return "cancelled: \(event["reason"]?.string ?? "")"
        case let type: return type
        }
    }
}
