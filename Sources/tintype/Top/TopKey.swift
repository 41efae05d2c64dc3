import TintypeCore

/// A key that does something with the chosen row of a tab.
struct TopKey: Sendable {
    let character: Character
    let tab: TopTab
    /// The words at the foot of the screen.
    let brief: String
    /// The words of the help, after the name of the tab.
    let meaning: String
    let act: @Sendable (_ item: JSON) -> TopAct

    /// All of them, in the order of the tabs.
    static let all = [
        TopKey(character: "p", tab: .queues, brief: "pause or resume", meaning: "pauses a queue, or resumes it", act: TopAct.pause),
        TopKey(character: "q", tab: .workers, brief: "quiet or claim", meaning: "drains a worker, or lets it claim again", act: TopAct.quiet),
        TopKey(character: "r", tab: .dead, brief: "retry", meaning: "retries a dead letter", act: TopAct.retry),
        TopKey(character: "d", tab: .dead, brief: "discard", meaning: "discards a dead letter", act: TopAct.discard),
        TopKey(character: "r", tab: .failures, brief: "ask again", meaning: "asks for the sources of a group again", act: TopAct.askAgain),
        TopKey(character: "d", tab: .blacklist, brief: "remove", meaning: "takes a source off the blacklist", act: TopAct.pardon),
    ]

    /// Returns where a character has a meaning; nil if it has none.
    static func hint(_ character: Character) -> String? {
        let places = all.filter { $0.character == character }.map { "in \($0.tab.rawValue), \(character) \($0.meaning)" }
        // In many programs q leaves.
        return places.isEmpty ? nil : (places + (character == "q" ? ["x leaves"] : [])).joined(separator: "; ")
    }
}
