import TintypeCore

/// The state of `tintype top`: what it knows, what it shows, and what each key means. A value.
struct TopModel: Sendable {
    /// The connection to the coordinator.
    enum Link: Sendable, Hashable {
        case live
        /// The coordinator answers with this error, so what is shown is old.
        case troubled(String)
        /// There is no coordinator since this time (seconds since 1970). Another connection is tried each second.
        case away(String, since: Double)
    }

    /// The wish of a key to the program around the model.
    enum Effect: Sendable, Hashable {
        case leave, suspend, redraw
        /// Another tab is shown, whose content has to be asked for.
        case look
        /// Call a method. `done` is said when it has succeeded, with the numbers of the answer if it has several.
        case call(method: String, params: JSON, done: String)
    }

    /// A question before something stops work. Only `y` goes on.
    struct Question: Sendable, Hashable {
        let text: String
        let effect: Effect
    }

    /// A line about the last action.
    struct Notice: Sendable, Hashable {
        let text: String
        let isBad: Bool
    }

    var snapshot = TopSnapshot()
    var link = Link.live
    var address = ""
    var notice: Notice?
    private(set) var tab: TopTab
    private(set) var isFiltering = false
    private(set) var isHelping = false
    private(set) var question: Question?
    private var filters: [TopTab: String] = [:]
    private var chosen: [TopTab: (id: String, place: Int)] = [:]

    /// The filter of the shown tab.
    var filter: String { filters[tab] ?? "" }

    init(tab: TopTab = .queues) { self.tab = tab }

    /// The table of the shown tab, with its filter.
    func table(now: Double) -> TopTable { TopTable(tab, snapshot[tab].items, now: now).filtered(filter) }

    /// Returns the chosen row among rows: the one that was chosen last; if that row is gone, the row in its place; or the first.
    func choice(among rows: [TopTable.Row]) -> Int? {
        guard !rows.isEmpty else { return nil }
        guard let (id, place) = chosen[tab] else { return 0 }
        return rows.firstIndex { $0.id == id } ?? min(place, rows.count - 1)
    }

    // MARK: Keys

    /// The rows by which Page Up and Page Down move.
    private static let page = 10

    mutating func take(_ key: Key, now: Double) -> Effect? {
        switch key {
        case .interrupt: return .leave
        case .suspend: return .suspend
        case .redraw: return .redraw
        case _: break
        }
        if let question { return answer(question, key) }
        if isFiltering { return edit(key) }
        notice = nil
        if isHelping {
            isHelping = false
            return key == .character("x") ? .leave : nil
        }
        switch key {
        case .character("x"): return .leave
        case .character("?"): isHelping = true
        case .character("/"): isFiltering = true
        case .escape: filters[tab] = nil
        case .tab, .right: return show(tab.moved(1))
        case .backTab, .left: return show(tab.moved(-1))
        case .character(let character):
            if let number = character.wholeNumberValue, let tab = TopTab.allCases.first(where: { $0.number == number }) { return show(tab) }
            return act(character, now)
        case .up: move(-1, now)
        case .down: move(1, now)
        case .pageUp: move(-Self.page, now)
        case .pageDown: move(Self.page, now)
        case .home: move(-.max / 2, now)
        case .end: move(.max / 2, now)
        case .enter, .backspace, .clear, .interrupt, .suspend, .redraw, .paste, .other: break
        }
        return nil
    }

    private mutating func show(_ tab: TopTab) -> Effect? {
        guard tab != self.tab else { return nil }
        self.tab = tab
        return .look
    }

    private mutating func move(_ places: Int, _ now: Double) {
        let rows = table(now: now).rows
        guard let current = choice(among: rows) else { return }
        choose(max(0, min(rows.count - 1, current + places)), of: rows)
    }

    private mutating func choose(_ place: Int, of rows: [TopTable.Row]) { chosen[tab] = (rows[place].id, place) }

    private mutating func edit(_ key: Key) -> Effect? {
        switch key {
        case .character(let character): filters[tab] = filter + String(character)
        case .paste(let text): filters[tab] = filter + text.filter { !$0.isNewline }
        case .backspace: filters[tab] = String(filter.dropLast())
        case .clear: filters[tab] = nil
        case .escape: (filters[tab], isFiltering) = (nil, false)
        case .enter: isFiltering = false
        case _: break
        }
        return nil
    }

    private mutating func answer(_ question: Question, _ key: Key) -> Effect? {
        self.question = nil
        if key == .character("y") || key == .character("Y") { return question.effect }
        notice = Notice(text: "nothing was done", isBad: false)
        return nil
    }

    /// The keys that do something with the chosen row.
    private mutating func act(_ character: Character, _ now: Double) -> Effect? {
        switch character {
        case "k": move(-1, now)
        case "j": move(1, now)
        case "g": move(-.max / 2, now)
        case "G": move(.max / 2, now)
        default: return actOnRow(character, now)
        }
        return nil
    }

    private mutating func actOnRow(_ character: Character, _ now: Double) -> Effect? {
        guard let key = tab.keys.first(where: { $0.character == character }) else {
            notice = Notice(text: TopKey.hint(character) ?? "no key \(character); ? lists the keys", isBad: false)
            return nil
        }
        let rows = table(now: now).rows
        guard let index = choice(among: rows) else { return nil }
        choose(index, of: rows)
        switch key.act(rows[index].item) {
        case .call(let effect): return effect
        case .ask(let text, let effect): question = Question(text: text, effect: effect)
        case .refuse(let reason): notice = Notice(text: reason, isBad: true)
        }
        return nil
    }
}
