import TintypeCore

/// How many members of a value a type does not know: what tells which of several shapes was meant.
struct Strangers: Comparable {
    let count: Int
    /// Those that are not even a known name misspelt.
    private let unlike: Int

    init(in value: JSON, to type: ParameterType) {
        let names: [String]? = if case .object(let members) = type { members.map(\.name) } else { nil }
        let strange = names.map { names in (value.object?.members ?? []).map(\.key).filter { !names.contains($0) } } ?? []
        count = strange.count
        unlike = strange.count { NearestName.of($0, among: names ?? []) == nil }
    }

    static func < (one: Strangers, other: Strangers) -> Bool { (one.count, one.unlike) < (other.count, other.unlike) }
}
