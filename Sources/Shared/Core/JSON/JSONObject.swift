/// The members of a JSON object in the order of the text. Two objects are equal if they have the same members in any order. Names are
/// compared as bytes (RFC 8259, §8.3).
///
/// A few members are searched one by one, which is cheaper than hashing. Many members get an index, so that a hostile object of half a million
/// members costs no more than its length.
package struct JSONObject: Sendable {
    package private(set) var members: [(key: String, value: JSON)]
    private var index: [ExactText: Int]?

    /// The most members without an index.
    private static let walked = 24

    /// If a name occurs twice, the later member wins.
    package init(_ members: [(String, JSON)] = []) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for (key, value) in members { self[key] = value }
    }

    /// An object of the members that are not nil.
    package init(present members: KeyValuePairs<String, JSON?>) {
        self.init()
        for case (let key, let value?) in members { self[key] = value }
    }

    package var keys: [String] { members.map(\.key) }
    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    /// Sets or reads a member. nil removes a member; a new name comes last.
    package subscript(key: String) -> JSON? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let found?, let value?): members[found].value = value
            case (let found?, nil):
                members.remove(at: found)
                rebuildIndex()
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The members in the order of their names' bytes.
    var sorted: [(key: String, value: JSON)] { members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }

    /// Returns this object with the other's members added; the other's win.
    package func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for (key, value) in other.members { merged[key] = value }
        return merged
    }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    private func position(of key: String) -> Int? {
        if let index { return index[ExactText(key)] }
        // Compare lengths first: they are known, and comparing two different texts takes longer than everything else here.
        let count = key.utf8.count
        return members.indices.first { members[$0].key.utf8.count == count && members[$0].key.isExactly(key) }
    }

    private mutating func append(_ key: String, _ value: JSON) {
        members.append((key, value))
        if index != nil { index?[ExactText(key)] = members.count - 1 } else if members.count > Self.walked { rebuildIndex() }
    }

    private mutating func rebuildIndex() {
        guard members.count > Self.walked else { return index = nil }
        var fresh: [ExactText: Int] = [:]
        fresh.reserveCapacity(members.count * 2)
        for (position, member) in members.enumerated() { fresh[ExactText(member.key)] = position }
        index = fresh
    }
}

extension JSON? {
    /// A member that is there if a condition holds.
    package static func when(_ isPresent: Bool, _ value: @autoclosure () -> JSON) -> JSON? { isPresent ? value() : .none }
}

extension JSONObject: Hashable {
    package static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        return one.members.indices.allSatisfy { index in
            let (key, value) = one.members[index]
            // Equal objects most often have their members in the same order.
            if other.members[index].key.isExactly(key) { return other.members[index].value == value }
            return other[key] == value
        }
    }

    /// Adds the hashes of the members, so that their order does not matter and nothing is sorted.
    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in members {
            var one = Hasher()
            key.hashExactly(into: &one)
            value.hash(into: &one)
            sum &+= one.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}
