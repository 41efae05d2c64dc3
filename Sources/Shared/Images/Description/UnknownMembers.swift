import TintypeCore

/// The number of members that a type does not know. It decides which of several shapes was meant.
struct UnknownMembers: Comparable {
    /// The most unknown members that are compared with the known names. An object with more of them is no misspelled object.
    static let mostCompared = 32

    let count: Int
    /// Unknown members that do not even resemble a known name.
    private let unlike: Int
    /// The members that were compared with the known names.
    let compared: Int

    init(in value: JSON, to type: ParameterType) {
        guard case .object(let described) = type, let object = value.object else {
            (count, unlike, compared) = (0, 0, 0)
            return
        }
        let names = described.map(\.name)
        count = object.count - names.count { object[$0] != nil }
        let strange = count > Self.mostCompared ? [] : object.keys.filter { ParameterDescription.index(of: $0, in: described) == nil }
        unlike = count - strange.count { NearestName.of($0, among: names) != nil }
        compared = strange.count
    }

    static func < (one: UnknownMembers, other: UnknownMembers) -> Bool { (one.count, one.unlike) < (other.count, other.unlike) }
}
