import TintypeCore
import TintypeImages

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
    ///   - sharer: whose share of the places it takes (`Session.sharer`).
    ///   - mayRefer: whether references stand for what is not known yet; such an item is read when its turn comes.
    /// - Throws: `invalidParams`. A URL that nobody can load is no mistake of the group: the item fails.
    static func item(
        _ json: JSON, at path: String, priority: JSON? = nil, rules: Rules = .none, mayRefer: Bool = false, owner: String? = nil, sharer: String? = nil
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
        item[sharerMember] = sharer.map { .string($0) }
        return .object(item)
    }

    /// Where an item in Redis says whose it is, and whose share it takes: no parameter has these names.
    private static let (ownerMember, sharerMember) = ("$owner", "$sharer")

    /// An item as it is read, whose it is, and whose share of the places it takes.
    static func opened(_ item: JSON) -> (request: JSON, owner: String?, sharer: String?) {
        guard var object = item.object else { return (item, nil, nil) }
        let (owner, sharer) = (object[ownerMember]?.string, object[sharerMember]?.string)
        (object[ownerMember], object[sharerMember]) = (nil, nil)
        return (.object(object), owner, sharer)
    }

    private static func placed(_ error: TintypeError, at path: String) -> TintypeError {
        let inner = error.details["path"]?.string ?? ""
        return .invalidParams(
            path: ParameterType.join(path, inner), value: error.details["value"], expected: error.details["expected"]?.string ?? "another value")
    }
}
