import TintypeCore

/// From the state to the lines of the screen. Pure.
enum TopLayout {
    /// The rows from which rates and phases are shown, and the columns from which phases are.
    private static let rowsForRates = 15
    private static let columnsForPhases = 72
    /// The lines of rates and phases.
    private static let charts = 5

    /// - Parameter now: seconds since 1970.
    static func frame(_ model: TopModel, _ size: ScreenSize, now: Double) -> Frame {
        var lines = [title(model, size.columns, now)]
        if size.rows >= rowsForRates { lines += rates(model, size.columns) }
        lines.append(tabs(model, size.columns))
        let room = max(0, size.rows - lines.count - 2)
        lines += model.isHelping ? help(room) : body(model, size.columns, rows: room, now)
        lines += Array(repeating: ScreenLine(), count: max(0, size.rows - 2 - lines.count))
        lines += [foot(model, now), keys(model)]
        // On a screen of few rows, the keys and what is asked matter more than the title.
        return Frame(size, lines.count > size.rows ? lines.suffix(size.rows) : lines)
    }

    /// Returns the state as plain lines, with all rows of the tab: for `--once`.
    static func once(_ model: TopModel, columns: Int, now: Double) -> [String] {
        let table = model.table(now: now)
        let (head, rows) = table.lines(table.rows.indices, columns: columns)
        let lines =
            [title(model, columns, now)] + rates(model, columns) + [tabs(model, columns)] + (rows.isEmpty ? [ScreenLine(table.whenEmpty)] : [head] + rows)
            + (model.snapshot.isCut(model.tab) ? [ScreenLine(cut(rows.count))] : [])
        return lines.map { line in
            let text = line.clipped(to: columns).text
            return String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
        }
    }

    // MARK: Head

    private static func title(_ model: TopModel, _ columns: Int, _ now: Double) -> ScreenLine {
        var line = ScreenLine(" tintype \(model.address) ", ScreenStyle(colour: .accent, isBold: true, isReversed: true))
        line.append(" ")
        if case .away(let reason, let since) = model.link {
            line.append("no coordinator for \(Figure.age(now - since)), trying again: \(reason)", ScreenStyle(colour: .bad, isBold: true))
            return line
        }
        if case .troubled(let reason) = model.link {
            line.append("this is old: \(reason)", ScreenStyle(colour: .bad, isBold: true))
            return line
        }
        let info = model.snapshot.info
        func many(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let workers = model.snapshot.workers
        let running = workers.count { $0["state"]?.string == "running" }
        var facts = [
            many(info["coordinators"]?.int ?? 1, "coordinator"), many(workers.count, "worker") + (running < workers.count ? ", \(running) running" : ""),
        ]
        if let uptime = info["uptime"]?.double { facts.append("up \(Figure.age(uptime))") }
        if let version = info["version"]?.string { facts.append(version) }
        line.append(facts.joined(separator: " · "), running == 0 ? .warning : .usual)
        let clock = Timestamp.clock(now) + " UTC "
        if line.columns + clock.count + 1 < columns {
            line.pad(to: columns - clock.count)
            line.append(clock, .faint)
        }
        return line
    }

    /// Five lines: rates with their last minutes on the left, the longest phases on the right.
    private static func rates(_ model: TopModel, _ columns: Int) -> [ScreenLine] {
        let snapshot = model.snapshot
        let hasPhases = columns >= columnsForPhases
        let left = hasPhases ? columns / 2 - 1 : columns
        let hits = snapshot.hits.map { "\(Int($0 * 100)) % cached" } ?? ""
        let rows: [(name: String, value: String, series: String, style: ScreenStyle)] = [
            ("requests", "\(Figure.rate(snapshot.rate("submits")))/s", "submits", .accent),
            ("pictures", "\(Figure.rate(snapshot.rate("pictures")))/s", "pictures", .accent),
            ("made", "\(Figure.rate(snapshot.rate("succeeded")))/s", "succeeded", .good),
            ("failed", "\(Figure.rate(snapshot.rate("failed")))/s", "failed", .bad),
            ("loaded", "\(bytes(snapshot.rate("bytesFetched")))/s", "bytesFetched", .accent),
        ]
        let phases = snapshot.phases.prefix(charts)
        return rows.enumerated().map { index, row in
            var line = ScreenLine(" " + ScreenText.padded(row.name, to: 9), .faint)
            line.append(ScreenText.padded(row.value, to: 9, right: true) + " ", .bold)
            let note = index == 0 && left > 48 ? ScreenText.padded(hits, to: 14, right: true) : ""
            line.append(Chart.sparkline(snapshot.series(row.series), columns: max(0, left - line.columns - note.count)), row.style)
            line.append(note, .faint)
            guard hasPhases else { return line }
            line.pad(to: left + 2)
            if index < phases.count {
                line.append(phase(phases[index], columns - left - 2))
            } else if index == 0 {
                line.append("no fetch ended in the last minute", .faint)
            }
            return line
        }
    }

    private static func phase(_ phase: TopSnapshot.Phase, _ columns: Int) -> ScreenLine {
        var line = ScreenLine(ScreenText.padded(phase.name, to: 10), .faint)
        let figures =
            ScreenText.padded("\(Int((phase.share * 100).rounded())) %", to: 6, right: true) + ScreenText.padded(Figure.seconds(phase.mean), to: 8, right: true)
        line.append(Chart.bar(phase.share, columns: max(0, columns - line.columns - figures.count - 1)), .accent)
        line.append(figures)
        return line
    }

    private static func bytes(_ rate: Double) -> String { Figure.bytes(rate.isFinite ? Int(max(0, min(rate, 1e15))) : 0) }

    /// The tabs with their numbers of rows. On a narrow screen the spaces go first, then the numbers of rows.
    private static func tabs(_ model: TopModel, _ columns: Int) -> ScreenLine {
        func line(_ space: String, counts: Bool) -> ScreenLine {
            var line = ScreenLine()
            for tab in TopTab.allCases {
                let count = count(tab, model.snapshot).map { " \($0)" } ?? ""
                let style: ScreenStyle = tab == model.tab ? ScreenStyle(isBold: true, isReversed: true) : tab == .dead && !count.isEmpty ? .bad : .usual
                if line.columns > 0 { line.append(" ") }
                line.append("\(space)\(tab.number) \(tab.rawValue)\(counts ? count : "")\(space)", style)
            }
            return line
        }
        let forms = [line(" ", counts: true), line("", counts: true)]
        return forms.first { $0.columns <= columns } ?? line("", counts: false)
    }

    private static func count(_ tab: TopTab, _ snapshot: TopSnapshot) -> Int? {
        func sum(_ name: String) -> Int? {
            let sum = snapshot.queues.reduce(0) { $0 &+ ($1[name]?.int ?? 0) }
            return sum > 0 ? sum : nil
        }
        return switch tab {
        case .queues: snapshot.queues.count
        case .running: sum("running")
        case .hosts: nil
        case .workers: snapshot.workers.count
        case .dead: sum("dead")
        case .failures, .blacklist: nil
        case .events: snapshot.events.isEmpty ? nil : snapshot.events.count
        }
    }

    // MARK: Body

    private static func body(_ model: TopModel, _ columns: Int, rows room: Int, _ now: Double) -> [ScreenLine] {
        let table = model.table(now: now)
        guard room > 0 else { return [] }
        guard let choice = model.choice(among: table.rows) else {
            return [ScreenLine(" " + (model.filter.isEmpty ? table.whenEmpty : "nothing has \"\(model.filter)\" in it"), .faint)]
        }
        let visible = window(choice, count: table.rows.count, height: room - 1)
        let (head, rows) = table.lines(visible, columns: columns - 2)
        func shifted(_ line: ScreenLine, _ mark: String) -> ScreenLine {
            var shifted = ScreenLine(mark)
            shifted.append(line)
            return shifted
        }
        return [shifted(head, " ")]
            + zip(visible, rows).map { $0 == choice ? shifted($1, "▸").chosen(columns) : shifted($1, " ") }
    }

    /// Returns the rows that are shown: those around the chosen one.
    static func window(_ choice: Int, count: Int, height: Int) -> Range<Int> {
        guard height > 0 else { return choice..<choice }
        let start = max(0, min(choice - height / 2, count - height))
        return start..<min(count, start + height)
    }

    private static func help(_ room: Int) -> [ScreenLine] {
        let lines =
            [
                ("1 to \(TopTab.allCases.count), Tab, ←, →", "another tab"), ("↑, ↓, j, k", "another row"), ("PgUp, PgDn, Home, End", "many rows at once"),
                ("/", "only rows with a text; Enter keeps it, Esc ends it"),
            ] + TopKey.all.map { ("\($0.character)", "in \($0.tab.rawValue): \($0.meaning)") } + [
                ("Ctrl-L, Ctrl-Z", "draws all anew; goes to the shell, and fg comes back"), ("x, Ctrl-C", "leaves"),
            ]
        let rows = lines.map { keys, meaning in
            var line = ScreenLine("  " + ScreenText.padded(keys, to: 24), .bold)
            line.append(meaning)
            return line
        }
        return Array(
            ([ScreenLine()] + rows + [ScreenLine(), ScreenLine("  Any key goes back. Pausing, draining and discarding ask first.", .faint)]).prefix(room))
    }

    // MARK: Foot

    private static func foot(_ model: TopModel, _ now: Double) -> ScreenLine {
        if let question = model.question {
            var line = ScreenLine(" " + question.text, ScreenStyle(colour: .warning, isBold: true))
            line.append("  y", .bold)
            line.append(" yes, any other key no")
            return line
        }
        if model.isFiltering {
            var line = ScreenLine(" /" + model.filter, .bold)
            line.append(" ", .chosen)
            return line
        }
        if let notice = model.notice { return ScreenLine(" " + notice.text, notice.isBad ? .bad : .good) }
        let isCut = model.snapshot.isCut(model.tab)
        if model.filter.isEmpty { return isCut ? ScreenLine(" " + cut(model.table(now: now).rows.count), .warning) : ScreenLine() }
        return ScreenLine(" only rows with \"\(model.filter)\"; Esc shows all" + (isCut ? "; there are more than were asked for" : ""), .warning)
    }

    /// Says that a tab has not all rows.
    private static func cut(_ count: Int) -> String { "only \(count) rows are shown: there are more" }

    private static func keys(_ model: TopModel) -> ScreenLine {
        var keys: [(String, String)] = model.isFiltering ? [("Enter", "keep"), ("Esc", "show all")] : []
        if !model.isFiltering, model.question == nil, !model.isHelping {
            keys = [("Tab", "next"), ("/", "filter")] + TopKey.all.filter { $0.tab == model.tab }.map { ("\($0.character)", $0.brief) }
            keys += [("?", "help"), ("x", "leave")]
        }
        var line = ScreenLine(" ")
        for (key, meaning) in keys {
            line.append(key, .bold)
            line.append(" \(meaning)  ", .faint)
        }
        return line
    }
}
