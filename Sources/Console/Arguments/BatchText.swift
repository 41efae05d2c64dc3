import TintypeCore

/// Reads the input of `tintype batch`: a JSON array, or lines with one request each. Each is an ImageRequest or a URL. Pure.
enum BatchText {
    /// - Parameter text: The content of the file. Empty lines, and lines that begin with `#`, are skipped.
    /// - Throws: `UsageError` that names the line and never quotes it: a line may hold secrets.
    static func items(_ text: String) throws(UsageError) -> [JSON] {
        let text = text.withoutByteOrderMark
        let start = text.first { !$0.isWhitespace }
        if start == "[" {
            guard let items = (try? JSON(parsing: Array(text.utf8)))?.array else { throw UsageError("the file begins with [ but is not a JSON array") }
            var read: [JSON] = []
            for (index, item) in items.enumerated() { read.append(try request(item, "item \(index)")) }
            return read
        }
        var items: [JSON] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            var line = line.drop(while: \.isWhitespace)
            while line.last?.isWhitespace == true { line.removeLast() }
            guard let first = line.first, first != "#" else { continue }
            guard first == "{" else {
                items.append(["url": .string(String(line))])
                continue
            }
            guard let item = try? JSON(parsing: Array(line.utf8)) else { throw UsageError("line \(number + 1) is not a JSON object") }
            items.append(try request(item, "line \(number + 1)"))
        }
        return items
    }

    private static func request(_ item: JSON, _ place: String) throws(UsageError) -> JSON {
        if let url = item.string { return ["url": .string(url)] }
        guard item.object != nil else { throw UsageError("\(place) is neither a URL nor an ImageRequest") }
        return item
    }
}
