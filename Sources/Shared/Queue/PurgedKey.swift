/// The key of a result or of a kept source that a purge by tag is about. A pure value.
package enum PurgedKey: Sendable, Hashable {
    /// A key of the tier `results`.
    case result(String)
    /// A key of the tier `sources`.
    case source(String)

    /// The form in Redis, which is that of members of tags.
    var member: String {
        switch self {
        case .result(let key): "x:" + key
        case .source(let key): "s:" + key
        }
    }
}
