/// The tables of MOVING.md, whose third column names calls of this client.
enum Moving {
    struct Row {
        let line: Int
        /// The code of the column "here". Settings of the operator are none.
        let calls: [String]
        /// Whether the row says that nothing is here, and why.
        let hasReason: Bool
    }

    static func rows(_ page: Page) -> [Row] {
        page.lines.enumerated().compactMap { index, line in
            guard line.hasPrefix("| `") else { return nil }
            // A bar within code is written as \|.
            let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|").map { $0.replacing("\u{1}", with: "|") }
            guard cells.count >= 2 else { return nil }
            let calls = cells[1].matches(of: /`([^`]+)`/).map { String($0.output.1) }.filter { !$0.hasPrefix("--") }
            return Row(line: index + 1, calls: calls, hasReason: cells[1].contains("None:"))
        }
    }

    /// Returns a function for each row, which is compiled and never runs.
    static func functions(_ page: Page) -> String {
        rows(page).filter { !$0.calls.isEmpty }.map { row in
            let lines = row.calls.map { "do {\n#sourceLocation(file: \"MOVING.md\", line: \(row.line))\n\(statement($0))\n}\n" }.joined()
            return "func row\(row.line)(\(parameters)) async throws {\n\(lines)#sourceLocation()\n}\n"
        }
        .joined() + "func named(_: ImageTransform) {}\nfunc named(_: ImageOutput) {}\nfunc effects() async throws {}\n"
    }

    /// The names that the page says it takes for granted.
    private static let parameters = """
        tintype: Tintype, url: URL, urls: [URL], data: Data, file: URL, request: ImageRequest, requests: [ImageRequest], task: ImageTask, image: LoadedImage, \
        prefetch: Prefetch, batch: Batch, chain: Chain, queue: Queue, error: TintypeError, options: inout Tintype.Options, probe: ProbeResult
        """

    private static func statement(_ call: String) -> String {
        // Operations and formats stand alone, with their dot.
        if call.hasPrefix(".") { return "named(\(call))" }
        if call.firstMatch(of: /^(for|let|var|if)\b/) != nil || call.firstMatch(of: /^[\w.]+ =[ ]/) != nil { return call }
        if call.firstMatch(of: /^[A-Z]\w*(\.[A-Z]\w*)*$/) != nil { return "_ = \(call).self" }
        // A call without effects would be a warning alone.
        return "_ = try await (effects(), \(call))"
    }
}
