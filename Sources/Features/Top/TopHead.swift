import Console
import TintypeCore

/// The lines above the rows of a tab: the service, its rates and phases, and the tabs. Pure.
enum TopHead {
    /// The columns from which phases are shown, and those of a phase from which its share is a number too.
    private static let columnsForPhases = 72
    private static let columnsForShare = 48
    /// The columns from which caches and troubles have gaps between them.
    private static let columnsForGaps = 52

    static func title(_ model: TopModel, _ columns: Int, _ now: Double) -> ScreenLine {
        var line = ScreenLine(" tintype \(model.address) ", ScreenStyle(color: .accent, isBold: true, isReversed: true))
        line.append(" ")
        if case .away(let reason, let since) = model.link {
            line.append("no coordinator for \(HumanNumber.age(now - since)), trying again: \(reason)", ScreenStyle(color: .bad, isBold: true))
            return line
        }
        if case .troubled(let reason) = model.link {
            line.append("this is old: \(reason)", ScreenStyle(color: .bad, isBold: true))
            return line
        }
        let info = model.snapshot.info
        func many(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let workers = model.snapshot[.workers].items
        let running = workers.count { $0["state"]?.string == "running" }
        var facts = [
            many(info["coordinators"]?.int ?? 1, "coordinator"), many(workers.count, "worker") + (running < workers.count ? ", \(running) running" : ""),
        ]
        if let uptime = info["uptime"]?.double { facts.append("up \(HumanNumber.age(uptime))") }
        if let version = info["version"]?.string { facts.append(version) }
        line.append(facts.joined(separator: " · "), running == 0 ? .warning : .usual)
        let clock = Timestamp.clock(now) + " UTC "
        if line.columns + clock.count + 1 < columns {
            line.pad(to: columns - clock.count)
            line.append(clock, .faint)
        }
        return line
    }

    /// Seven lines: rates with their last minutes, caches and troubles on the left, the longest phases on the right.
    static func rates(_ model: TopModel, _ columns: Int) -> [ScreenLine] {
        let snapshot = model.snapshot
        let hasPhases = columns >= columnsForPhases
        let left = hasPhases ? columns / 2 - 1 : columns
        let hits = snapshot.hits.map { "\(Int($0 * 100)) % cached" } ?? ""
        let rows: [(name: String, value: String, series: String, style: ScreenStyle)] = [
            ("requests", "\(HumanNumber.rate(snapshot.rate("submits")))/s", "submits", .accent),
            ("pictures", "\(HumanNumber.rate(snapshot.rate("pictures")))/s", "pictures", .accent),
            ("made", "\(HumanNumber.rate(snapshot.rate("succeeded")))/s", "succeeded", .good),
            ("failed", "\(HumanNumber.rate(snapshot.rate("failed")))/s", "failed", .bad),
            ("loaded", "\(bytes(snapshot.rate("bytesFetched")))/s", "bytesFetched", .accent),
        ]
        let charts = rows.enumerated().map { index, row in
            var line = label(row.name)
            line.append(ScreenText.padded(row.value, to: 9, right: true) + " ", .bold)
            let note = index == 0 && left > 48 ? ScreenText.padded(hits, to: 14, right: true) : ""
            line.append(Chart.sparkline(snapshot.series(row.series), columns: max(0, left - line.columns - note.count)), row.style)
            line.append(note, .faint)
            return line
        }
        let lines = charts + [caches(snapshot, left), troubles(snapshot, left)]
        guard hasPhases else { return lines }
        return zip(lines, phases(snapshot, columns - left - 2, lines: lines.count)).map { line, phase in
            var whole = line.clipped(to: left)
            whole.pad(to: left + 2)
            whole.append(phase)
            return whole
        }
    }

    private static func label(_ name: String) -> ScreenLine { ScreenLine(" " + ScreenText.padded(name, to: 9), .faint) }

    private static func gap(_ columns: Int) -> String { columns >= columnsForGaps ? " · " : " " }

    /// The part of its questions that each tier answered.
    private static func caches(_ snapshot: TopSnapshot, _ columns: Int) -> ScreenLine {
        var line = columns >= columnsForGaps ? label("caches") : ScreenLine(" ")
        for tier in snapshot.tiers {
            if tier != snapshot.tiers.first { line.append(gap(columns), .faint) }
            line.append(tier.name + " ", .faint)
            line.append(tier.hits.map { "\(Int($0 * 100)) %" } ?? "-", .bold)
        }
        return line
    }

    /// The troubles of the last minute.
    private static func troubles(_ snapshot: TopSnapshot, _ columns: Int) -> ScreenLine {
        var line = label("a minute")
        for name in TopSnapshot.troubles {
            if name != TopSnapshot.troubles.first { line.append(gap(columns), .faint) }
            // Totals are spread over points, so a sum may have a fraction. Not even a small one is nothing.
            let sum = min(snapshot.lastMinute(name), 1e15)
            let count = max(sum > 0.01 ? 1 : 0, Int(sum.rounded()))
            line.append("\(count)", ScreenStyle(color: count > 0 ? .bad : .usual, isBold: true))
            line.append(" " + name, .faint)
        }
        return line
    }

    /// A title and the longest phases, one on each line.
    private static func phases(_ snapshot: TopSnapshot, _ columns: Int, lines: Int) -> [ScreenLine] {
        let phases = snapshot.phases.prefix(lines - 1)
        guard !phases.isEmpty else { return [ScreenLine("no fetch ended in the last minute", .faint)] + Array(repeating: ScreenLine(), count: lines - 1) }
        let hasShare = columns >= columnsForShare
        func line(_ name: String, _ share: Double?, _ figures: [String], _ style: ScreenStyle) -> ScreenLine {
            var line = ScreenLine(ScreenText.padded(name, to: 10), .faint)
            let text = figures.dropFirst(hasShare ? 0 : 1).enumerated().map { ScreenText.padded($1, to: hasShare && $0 == 0 ? 6 : 8, right: true) }.joined()
            let room = max(0, columns - line.columns - ScreenText.columns(text) - 1)
            line.append(share.map { Chart.bar($0, columns: room) } ?? String(repeating: " ", count: room), .accent)
            line.append(text, style)
            return line
        }
        let shown = phases.map { phase in
            let times = [phase.p50, phase.p95, phase.p99].map { $0.map(HumanNumber.seconds) ?? "-" }
            return line(phase.name, phase.share, ["\(Int((phase.share * 100).rounded())) %"] + times, .usual)
        }
        return [line("phase", nil, ["share", "p50", "p95", "p99"], .faint)] + shown + Array(repeating: ScreenLine(), count: lines - 1 - shown.count)
    }

    private static func bytes(_ rate: Double) -> String { HumanNumber.bytes(rate.isFinite ? Int(max(0, min(rate, 1e15))) : 0) }

    /// The tabs with their numbers of rows. On a narrow screen the spaces go first, then the numbers of rows.
    static func tabs(_ model: TopModel, _ columns: Int) -> ScreenLine {
        func line(_ space: String, counts: Bool) -> ScreenLine {
            var line = ScreenLine()
            for tab in TopTab.allCases {
                let count = tab.count(model.snapshot).map { " \($0)" } ?? ""
                let style: ScreenStyle = tab == model.tab ? ScreenStyle(isBold: true, isReversed: true) : tab == .dead && !count.isEmpty ? .bad : .usual
                if line.columns > 0 { line.append(" ") }
                line.append("\(space)\(tab.number) \(tab.name)\(counts ? count : "")\(space)", style)
            }
            return line
        }
        let forms = [line(" ", counts: true), line("", counts: true)]
        return forms.first { $0.columns <= columns } ?? line("", counts: false)
    }
}
