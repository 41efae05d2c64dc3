/// The memory of this process' control group (cgroup v2), and how it is waited for, as the kernel says it. A pure value.
package struct GroupMemory: Sendable, Hashable {
    /// Bytes that are held and not to be had back at once: pages of files that nobody has used lately count as free, or whoever serves files from
    /// disk would always be short of memory.
    package var used = 0
    /// Bytes that may be held before processes are slowed down (`memory.high`) or killed (`memory.max`); nil without such a limit.
    package var limit: Int?
    /// How often one of them was reached.
    package var shortages = 0
    /// The part of the last ten seconds, in percent, in which somebody waited for memory (PSI `some`); nil where the kernel does not count it.
    package var stalled: Double?

    package init(used: Int = 0, limit: Int? = nil, shortages: Int = 0, stalled: Double? = nil) {
        (self.used, self.limit, self.shortages, self.stalled) = (used, limit, shortages, stalled)
    }

    /// Reads the texts of the files of a control group.
    /// - Returns: nil when `memory.current` is none: there is no such group.
    package init?(text: (_ name: String) -> String?) {
        guard let current = text("memory.current").flatMap({ Int($0.trimmed) }), current >= 0 else { return nil }
        let idle = text("memory.stat").flatMap { Self.figure("inactive_file", in: $0) } ?? 0
        used = max(0, current - max(0, min(idle, current)))
        // "max" where there is no limit.
        limit = ["memory.high", "memory.max"].compactMap { text($0).flatMap { Int($0.trimmed) } }.filter { $0 > 0 }.min()
        let events = text("memory.events") ?? ""
        shortages = ["high", "max", "oom"].reduce(0) { $0 &+ max(0, Self.figure($1, in: events) ?? 0) }
        stalled = text("memory.pressure").flatMap { Self.stalled($0) }
    }

    /// A line `name number`.
    private static func figure(_ name: String, in text: String) -> Int? {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return Int(words[1]) }
        }
        return nil
    }

    /// The average of ten seconds in a file of pressure: `some avg10=0.00 avg60=…`.
    package static func stalled(_ text: String) -> Double? {
        guard let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("some ") }),
            let word = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }), let percent = Double(word.dropFirst(6)), percent.isFinite
        else { return nil }
        return max(0, percent)
    }
}
