import Glibc

/// The pages of programs and libraries in a process. The warm-up runs every codec once, and so maps pages that most pictures never need.
enum LibraryPages {
    /// Unmaps the code and constants that the process has used so far. Those that are used again are mapped again from the page cache, 16 pages at a time.
    ///
    /// Only files' pages without a change of the process's own are unmapped: changed ones, as those of relocations, would be lost.
    /// - Returns: the number of bytes of address space whose pages were unmapped; 0 if `/proc` cannot be read.
    @discardableResult static func unmap() -> Int {
        guard let file = fopen("/proc/self/smaps", "re") else { return 0 }
        defer { fclose(file) }
        var reader = SmapsReader()
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { free(line) }
        // The list is read to its end first: each call changes it.
        while getline(&line, &room, file) > 0, let line { reader.read(String(cString: line)) }
        return reader.unchanged.reduce(0) { sum, range in
            let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            return madvise(start, range.count, MADV_DONTNEED) == 0 ? sum + range.count : sum
        }
    }
}

/// Finds the unchanged code and constants of files in the lines of `/proc/PID/smaps` (proc(5)). Pure.
struct SmapsReader {
    /// The address ranges of mappings that cannot be written, belong to a file, and have no changed page.
    private(set) var unchanged: [Range<UInt>] = []
    /// The lines that count changed pages. One that was swapped out is in the last only.
    private let changes = ["Private_Dirty:", "Anonymous:", "Swap:"]
    /// The mapping of the lines that follow.
    private var current: Range<UInt>?

    mutating func read(_ line: String) {
        // There are some twenty lines for each mapping, whose names begin with a capital letter: most are never split.
        let isName = line.utf8.first.map { (65...90).contains($0) } ?? true
        guard !isName || current != nil && changes.contains(where: line.hasPrefix) else { return }
        let words = line.utf8.split { $0 <= 32 }.map { Substring($0) }
        guard let first = words.first else { return }
        if isName {
            if words.count > 1, words[1] != "0" { unchanged.removeAll { $0 == current } }
            return
        }
        current = nil
        let ends = first.split(separator: "-")
        guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[5].hasPrefix("/"), ends.count == 2, let low = UInt(ends[0], radix: 16),
            let high = UInt(ends[1], radix: 16), low < high
        else { return }
        current = low..<high
        unchanged.append(low..<high)
    }
}
