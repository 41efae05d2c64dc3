/// What a pixel process prints, on its way into the log: in lines of bounded length, and so many of them. A decoder that was taken over must neither
/// forge lines of ours nor fill a disk. A pure value; the log escapes control characters.
struct ChildWords {
    /// Bytes of a line that are kept.
    static let longestLine = 512
    /// Lines of one process that are told.
    static let mostLines = 20
    /// Bytes a process may print while it has one picture, or none: a library's warnings are far fewer.
    static let mostBytes = 1 << 20

    private var line: [UInt8] = []
    private var told = 0
    private var bytes = 0
    /// Lines that were left out.
    private(set) var omitted = 0

    /// Takes in what was read.
    /// - Returns: the lines that are to be told now.
    mutating func take(_ part: UnsafeRawBufferPointer) -> [String] {
        bytes += part.count
        var lines: [String] = []
        for byte in part {
            if byte == UInt8(ascii: "\n") {
                if let text = finish() { lines.append(text) }
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        return lines
    }

    /// What stands at the end without a line's end.
    mutating func finish() -> String? {
        guard !line.isEmpty else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        guard told < Self.mostLines else {
            omitted += 1
            return nil
        }
        told += 1
        return String(decoding: line, as: UTF8.self)
    }

    /// Whether it prints more than any library of ours has to say.
    var isEndless: Bool { bytes > Self.mostBytes }

    /// Another picture begins.
    mutating func begin() { bytes = 0 }
}
