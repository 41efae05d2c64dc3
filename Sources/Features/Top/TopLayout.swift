import Console
import TintypeCore

/// From the state to the lines of the screen. Pure.
enum TopLayout {
    /// The rows from which rates and phases are shown.
    private static let rowsForRates = 16

    /// - Parameter now: seconds since 1970.
    static func frame(_ model: TopModel, _ size: ScreenSize, now: Double) -> Frame {
        var lines = [TopHead.title(model, size.columns, now)]
        if size.rows >= rowsForRates { lines += TopHead.rates(model, size.columns) }
        lines.append(TopHead.tabs(model, size.columns))
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
            [TopHead.title(model, columns, now)] + TopHead.rates(model, columns) + [TopHead.tabs(model, columns)]
            + (rows.isEmpty ? [ScreenLine(model.tab.whenEmpty)] : [head] + rows)
            + (model.snapshot[model.tab].isCut ? [ScreenLine(cut(rows.count))] : [])
        return lines.map { line in
            let text = line.clipped(to: columns).text
            return String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
        }
    }

    // MARK: Body

    private static func body(_ model: TopModel, _ columns: Int, rows room: Int, _ now: Double) -> [ScreenLine] {
        let table = model.table(now: now)
        guard room > 0 else { return [] }
        guard let choice = model.choice(among: table.rows) else {
            return [ScreenLine(" " + (model.filter.isEmpty ? model.tab.whenEmpty : "nothing has \"\(model.filter)\" in it"), .faint)]
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
            ] + TopKey.all.map { ("\($0.key.character)", "in \($0.tab.name): \($0.key.meaning)") } + [
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
            var line = ScreenLine(" " + question.text, ScreenStyle(color: .warning, isBold: true))
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
        let isCut = model.snapshot[model.tab].isCut
        if model.filter.isEmpty { return isCut ? ScreenLine(" " + cut(model.table(now: now).rows.count), .warning) : ScreenLine() }
        return ScreenLine(" only rows with \"\(model.filter)\"; Esc shows all" + (isCut ? "; there are more than were asked for" : ""), .warning)
    }

    /// Says that a tab has not all rows.
    private static func cut(_ count: Int) -> String { "only \(count) rows are shown: there are more" }

    private static func keys(_ model: TopModel) -> ScreenLine {
        var keys: [(String, String)] = model.isFiltering ? [("Enter", "keep"), ("Esc", "show all")] : []
        if !model.isFiltering, model.question == nil, !model.isHelping {
            keys = [("Tab", "next"), ("/", "filter")] + model.tab.keys.map { ("\($0.character)", $0.brief) }
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

/// The content of the screen at one moment: a line for each row, none longer than the screen. A value.
struct Frame: Sendable, Hashable {
    let size: ScreenSize
    let lines: [ScreenLine]

    /// Lines that do not fit are cut or left out.
    init(_ size: ScreenSize, _ lines: [ScreenLine]) {
        self.size = size
        let shown = lines.prefix(size.rows).map { $0.clipped(to: size.columns) }
        self.lines = shown + Array(repeating: ScreenLine(), count: max(0, size.rows - shown.count))
    }

    /// Returns what a terminal has to be sent, so that it shows this frame where it shows `old`.
    ///
    /// Only rows that differ are sent, each as a whole. The rest of a shorter row is erased, and never the last column, where the cursor may wait.
    /// - Parameter old: nil when nobody knows what the terminal shows.
    func changes(from old: Frame?, _ colors: ScreenColors) -> String {
        let known = old?.size == size ? old : nil
        var text = known == nil ? colors.sequence(.usual) + "\u{1b}[2J" : ""
        for (row, line) in lines.enumerated() where known == nil ? line.columns > 0 : known?.lines[row] != line {
            text += "\u{1b}[\(row + 1);1H"
            for span in line.spans { text += colors.sequence(span.style) + span.text }
            if line.columns < size.columns { text += colors.sequence(.usual) + "\u{1b}[K" }
        }
        return text.isEmpty ? "" : text + colors.sequence(.usual)
    }
}
