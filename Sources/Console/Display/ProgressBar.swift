import TintypeCore

/// The progress of a load, read from its events, as one line of plain text. Pure.
struct ProgressBar {
    private(set) var phase = "waiting"
    private(set) var fraction: Double?
    private(set) var detail = ""
    private(set) var attempt = 1

    /// Applies one `image.event` or `group.event`.
    /// - Returns: Whether the phase changed. Where there is no terminal, only a new phase prints a line.
    mutating func take(_ event: JSON) -> Bool {
        let before = (phase, attempt)
        switch event["type"]?.string {
        case "queued":
            phase = "queued"
            detail = event["position"]?.int.map { $0 > 0 ? "\($0) before it" : "" } ?? ""
        case "started":
            phase = "started"
            attempt = event["attempt"]?.int ?? attempt
            fraction = nil
            detail = event["worker"]?.string.map { "by \($0.plain)" } ?? ""
        case "response":
            phase = "download"
            detail = event["expectedBytes"]?.int.map { HumanNumber.bytes($0) } ?? ""
        case "progress":
            phase = event["phase"]?.string?.plain ?? phase
            progress(event)
        case "rendition":
            phase = "store"
            detail = event["name"]?.string?.plain ?? ""
        case "retrying":
            phase = "retrying"
            fraction = nil
            detail = "after \(event["error"]?["message"]?.string?.plain ?? "a failure")"
        default: break
        }
        return before != (phase, attempt)
    }

    private mutating func progress(_ event: JSON) {
        if let finished = event["finished"]?.int, let total = event["total"]?.int {
            // The event of a group.
            phase = "loading"
            fraction = total > 0 ? Double(finished) / Double(total) : nil
            detail = "\(finished) of \(total)"
            return
        }
        fraction = event["fraction"]?.double
        if phase == "upload", let sent = event["sentBytes"]?.int, let total = event["totalBytes"]?.int {
            detail = "\(HumanNumber.bytes(sent)) of \(HumanNumber.bytes(total))"
            return
        }
        guard phase == "download", let received = event["receivedBytes"]?.int else {
            detail = ""
            return
        }
        let expected = event["expectedBytes"]?.int
        detail = HumanNumber.bytes(received) + (expected.map { " of \(HumanNumber.bytes($0))" } ?? "")
        if fraction == nil, let expected, expected > 0 { fraction = Double(received) / Double(expected) }
    }

    /// Returns the line for a terminal `width` columns wide: `download  [#####·····]  46 %  381 kB of 829 kB`.
    func line(width: Int) -> String {
        let cells = max(10, min(30, width - 50))
        let share = min(1, max(0, fraction ?? 0))
        let filled = Int(share * Double(cells))
        let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: cells - filled)
        let percent = fraction == nil ? "    " : String(repeating: " ", count: share == 1 ? 0 : share >= 0.1 ? 1 : 2) + "\(Int(share * 100))%"
        let name = phase + String(repeating: " ", count: max(0, 10 - phase.count))
        return String("\(name) [\(bar)] \(percent)  \(detail)".prefix(max(20, width - 1)))
    }

    /// The line where there is no terminal.
    var plain: String {
        detail.isEmpty ? phase : "\(phase): \(detail)"
    }
}
