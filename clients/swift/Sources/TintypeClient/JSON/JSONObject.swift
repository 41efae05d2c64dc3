/// The members of a JSON object, in the order in which they were written.
///
/// Objects of the protocol have few members with short names.
/// A list is then found through sooner than a table, and made with one allocation.
public struct JSONObject: Sendable {
    private var members: [(key: String, value: JSON)]

    /// An object without members.
    public init() {
        members = []
    }

    /// An object of the given members. Names are different from each other; of equal ones the first counts.
    public init(_ members: [(key: String, value: JSON)]) {
        self.members = members
    }

    /// The value of a name. Setting `nil` removes the member.
    public subscript(name: String) -> JSON? {
        get {
            for member in members where member.key == name { return member.value }
            return nil
        }
        set {
            let index = members.firstIndex { $0.key == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The place of a name. Looks from one place to the end, and then before it: members that are asked for in their order are found at once.
    func place(of name: String, from start: Int) -> Int? {
        let length = name.utf8.count
        // In a buffer, a comparison copies no member.
        return members.withUnsafeBufferPointer { members in
            func found(_ index: Int) -> Bool { members[index].key.utf8.count == length && members[index].key == name }
            let start = Swift.min(start, members.count)
            for index in start..<members.count where found(index) { return index }
            for index in 0..<start where found(index) { return index }
            return nil
        }
    }

    /// Adds a member whose name is new, without looking for it.
    public mutating func append(_ name: String, _ value: JSON) {
        members.append((name, value))
    }

    public mutating func reserveCapacity(_ count: Int) {
        members.reserveCapacity(count)
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { members.startIndex }
    public var endIndex: Int { members.endIndex }
    public subscript(position: Int) -> (key: String, value: JSON) { members[position] }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in any order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.count == other.count && one.members.allSatisfy { other[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        var sum = members.count
        for (key, value) in members {
            var member = Hasher()
            member.combine(key)
            member.combine(value)
            sum = sum &+ member.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map { ($0.0, $0.1) }
    }
}
