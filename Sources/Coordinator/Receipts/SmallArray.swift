/// A list that usually has one element or none. It then needs no array of its own: eight bytes instead of fifty-six. There may be a million of these.
struct SmallArray<Element: AnyObject & Sendable>: RandomAccessCollection, Sendable {
    private enum Content: Sendable {
        case one(Element)
        case several([Element])
    }

    private var content = Content.several([])

    var startIndex: Int { 0 }

    var endIndex: Int {
        switch content {
        case .one: 1
        case .several(let all): all.count
        }
    }

    subscript(index: Int) -> Element {
        switch content {
        case .one(let element):
            precondition(index == 0, "a list of one has no place \(index)")
            return element
        case .several(let all): return all[index]
        }
    }

    mutating func append(_ element: Element) {
        switch content {
        case .one(let first): content = .several([first, element])
        case .several(var all):
            guard !all.isEmpty else { return content = .one(element) }
            content = .several([])  // so that the array is ours alone, and not copied
            all.append(element)
            content = .several(all)
        }
    }

    mutating func remove(at index: Int) {
        switch content {
        case .one:
            precondition(index == 0, "a list of one has no place \(index)")
            content = .several([])
        case .several(var all):
            content = .several([])
            all.remove(at: index)
            content = all.count == 1 ? .one(all[0]) : .several(all)
        }
    }
}
