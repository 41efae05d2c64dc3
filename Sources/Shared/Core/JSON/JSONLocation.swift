/// Finds lines in a JSON text, for messages about files that people write.
package enum JSONLocation {
    /// The line, from 1, of a byte.
    package static func line(at offset: Int, of text: [UInt8]) -> Int { 1 + text.prefix(max(0, offset)).count { $0 == 10 } }

    /// Returns the line of the member or element at a path such as `rules[2].headers.Accept`, or of the nearest thing around it.
    /// - Parameter text: valid JSON.
    package static func line(of path: String, in text: [UInt8]) -> Int {
        var walk = Walk(text: text)
        return line(at: walk.find(path[...]), of: text)
    }

    /// A walk over valid JSON.
    private struct Walk {
        let text: [UInt8]
        var at = 0

        mutating func find(_ path: Substring) -> Int {
            space()
            let here = at
            guard !path.isEmpty else { return here }
            if path.first == "[", let end = path.firstIndex(of: "]"), let index = Int(path[path.index(after: path.startIndex)..<end]) {
                return element(index) ? find(path[path.index(after: end)...]) : here
            }
            return member(path.first == "." ? path.dropFirst() : path) ?? here
        }

        /// Moves to an element of the array that begins here.
        private mutating func element(_ index: Int) -> Bool {
            guard text[at] == UInt8(ascii: "[") else { return false }
            at += 1
            for _ in 0..<index {
                space()
                guard text[at] != UInt8(ascii: "]") else { return false }
                skip()
                space()
                guard text[at] == UInt8(ascii: ",") else { return false }
                at += 1
            }
            space()
            return text[at] != UInt8(ascii: "]")
        }

        /// Returns the place of a path in the object that begins here. Names may contain dots. The last of two equal names counts.
        private mutating func member(_ path: Substring) -> Int? {
            guard text[at] == UInt8(ascii: "{") else { return nil }
            at += 1
            var found: (start: Int, value: Int, rest: Substring)?
            while true {
                space()
                guard text[at] == UInt8(ascii: "\"") else { break }
                let start = at
                skip()
                let name = (try? JSON(parsing: text[start..<at]))?.string ?? ""
                space()
                at += 1
                let value = at
                let rest = path.dropFirst(name.count)
                if path.hasPrefix(name), rest.isEmpty || rest.first == "." || rest.first == "[" { found = (start, value, rest) }
                skip()
                space()
                guard text[at] == UInt8(ascii: ",") else { break }
                at += 1
            }
            guard let found else { return nil }
            guard !found.rest.isEmpty else { return found.start }
            at = found.value
            return find(found.rest)
        }

        private mutating func space() { while at < text.count, [32, 9, 10, 13].contains(text[at]) { at += 1 } }

        /// Moves past one value.
        private mutating func skip() {
            space()
            var depth = 0
            repeat {
                switch text[at] {
                case UInt8(ascii: "\""):
                    at += 1
                    while text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
                    at += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    at += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    at += 1
                default:
                    at += 1
                    guard depth == 0 else { continue }
                    while at < text.count, ![44, 93, 125, 32, 9, 10, 13].contains(text[at]) { at += 1 }
                }
            } while depth > 0
        }
    }
}
