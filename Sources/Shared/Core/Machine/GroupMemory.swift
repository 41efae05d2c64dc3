/// The memory of this process' control group (cgroup v2) and the waiting for memory, as the kernel reports them. A pure value.
package struct GroupMemory: Sendable, Hashable {
    /// Bytes in use that the kernel cannot free at once. Pages of files that were not used lately count as free: otherwise a process that serves files from
    /// disk would always seem short of memory.
    package var used = 0
    /// The bytes above which processes are slowed down (`memory.high`) or killed (`memory.max`); nil without such a limit.
    package var limit: Int?
    /// How often one of these limits was reached.
    package var shortages = 0
    /// The percentage of the last ten seconds in which a process waited for memory (PSI `some`); nil if the kernel does not count it.
    package var stalled: Double?

    package init(used: Int = 0, limit: Int? = nil, shortages: Int = 0, stalled: Double? = nil) {
        (self.used, self.limit, self.shortages, self.stalled) = (used, limit, shortages, stalled)
    }

    /// Reads the files of a control group.
    /// - Returns: nil if `memory.current` is missing: there is no such group.
    package init?(text: (_ name: String) -> String?) {
        guard let current = text("memory.current").flatMap({ Int($0.trimmed) }), current >= 0 else { return nil }
        let idle = text("memory.stat").flatMap { Self.figure("inactive_file", in: $0) } ?? 0
        used = max(0, current - max(0, min(idle, current)))
        // The text is "max" without a limit.
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
