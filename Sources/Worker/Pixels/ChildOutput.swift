/// The output of a pixel process on its way into the log: a limited number of lines of limited length. A compromised decoder must neither forge log
/// lines nor fill a disk. A pure value; the log escapes control characters.
struct ChildOutput {
    /// The most bytes of a line; the remainder is dropped.
    static let maxLine = 512
    /// The most lines of one process.
    static let maxLines = 20
    /// The most bytes that a process may print during one picture or between two. Warnings of a library are far fewer.
    static let mostBytes = 1 << 20

    private var line: [UInt8] = []
    private var finished = 0
    private var bytes = 0
    /// The number of dropped lines.
    private(set) var omitted = 0

    /// Adds bytes that were read.
    /// - Returns: the lines for the log.
    mutating func take(_ part: UnsafeRawBufferPointer) -> [String] {
        bytes += part.count
        var lines: [String] = []
        for byte in part {
            if byte == UInt8(ascii: "\n") {
                if let text = finish() { lines.append(text) }
            } else if line.count < Self.maxLine {
                line.append(byte)
            }
        }
        return lines
    }

    /// Returns the last line, if it has no line end.
    mutating func finish() -> String? {
        guard !line.isEmpty else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        guard finished < Self.maxLines else {
            omitted += 1
            return nil
        }
        finished += 1
        return String(decoding: line, as: UTF8.self)
    }

    /// Whether the process prints more than any of our libraries would.
    var isEndless: Bool { bytes > Self.mostBytes }

    /// Marks the start of another picture.
    mutating func begin() { bytes = 0 }
}
