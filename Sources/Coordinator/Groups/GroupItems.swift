import Shared

/// The requests of a group before it starts: each is read once, so that a mistake is told at once and with its place. Pure.
enum GroupItems {
    /// Items read in one turn of the loop.
    static let turn = 50

    /// One item as it goes to Redis.
    /// - Parameters:
    ///   - path: where it stands: `items[3]`.
    ///   - priority: of an item that names none.
    ///   - rules: what it is read by, now; when its turn comes, by those of then.
    ///   - owner: whose it is (`AccessGrant.owner`).
    ///   - mayRefer: whether references stand for what is not known yet; such an item is read when its turn comes.
    /// - Throws: `invalidParams`. A URL that nobody can load is no mistake of the group: the item fails.
    static func item(
        _ json: JSON, at path: String, priority: JSON? = nil, rules: Rules = .none, mayRefer: Bool = false, owner: String? = nil
    ) throws(TintypeError) -> JSON {
        guard var item = json.object else { throw .invalidParams(path: path, value: nil, expected: "an object, an ImageRequest") }
        if let priority, item["priority"] == nil { item["priority"] = priority }
        // It belongs to the group, not to a connection.
        item["detached"] = true
        if !mayRefer || !StepReferences.occur(in: .object(item)) {
            do throws(TintypeError) {
                _ = try ImageRequest(.object(item), rules: rules)
            } catch {
                if error.name == .invalidParams { throw Self.placed(error, at: path) }
            }
        }
        item[ownerMember] = owner.map { .string($0) }
        return .object(item)
    }

    /// Where an item in Redis says whose it is: no parameter has this name.
    private static let ownerMember = "$owner"

    /// An item as it is read, and whose it is.
    static func opened(_ item: JSON) -> (request: JSON, owner: String?) {
        guard var object = item.object, let owner = object[ownerMember]?.string else { return (item, nil) }
        object[ownerMember] = nil
        return (.object(object), owner)
    }

    private static func placed(_ error: TintypeError, at path: String) -> TintypeError {
        let inner = error.details["path"]?.string ?? ""
        return .invalidParams(
            path: ParameterType.join(path, inner), value: error.details["value"], expected: error.details["expected"]?.string ?? "another value")
    }
}
