import TintypeCore

/// The number of members that a type does not know. It decides which of several shapes was meant.
struct UnknownMembers: Comparable {
    let count: Int
    /// Unknown members that do not even resemble a known name.
    private let unlike: Int

    init(in value: JSON, to type: ParameterType) {
        let names: [String]? = if case .object(let members) = type { members.map(\.name) } else { nil }
        let strange = names.map { names in (value.object?.members ?? []).map(\.key).filter { !names.contains($0) } } ?? []
        count = strange.count
        unlike = strange.count { NearestName.of($0, among: names ?? []) == nil }
    }

    static func < (one: UnknownMembers, other: UnknownMembers) -> Bool { (one.count, one.unlike) < (other.count, other.unlike) }
}
