import Coordinator
import TintypeCore
import TintypeImages

/// The requests of a group before its start. Each is parsed once, so that a mistake is reported at once and with its place. Pure.
enum GroupItems {
    /// The number of items read in one turn of the loop.
    static let turn = 50

    /// Returns an item in the form that Redis stores.
    /// - Parameters:
    ///   - path: The place of the item, such as `items[3]`.
    ///   - priority: The priority of an item that names none.
    ///   - rules: The rules that check the item now. When the item starts, the rules of that time apply.
    ///   - owner: The owner of the item (`AccessGrant.owner`).
    ///   - sharer: The client whose part of the limits the item uses (`Session.sharer`).
    ///   - trace: The place of the call in a trace.
    ///   - mayRefer: Whether the item may contain references to values that are not known yet. Such an item is checked when it starts.
    /// - Throws: `invalidParams`. A URL that cannot be loaded is not a mistake of the group: only the item fails.
    static func item(
        _ json: JSON, at path: String, priority: JSON? = nil, rules: Rules = .none, mayRefer: Bool = false, owner: String? = nil, sharer: String? = nil,
        trace: TraceContext? = nil
    ) throws(TintypeError) -> JSON {
        guard var item = json.object else { throw .invalidParams(path: path, value: nil, expected: "an object, an ImageRequest") }
        if let priority, item["priority"] == nil { item["priority"] = priority }
        // The item belongs to the group, not to a connection.
        item["detached"] = true
        // The group waits for replicas, and its items can be made again from it.
        item["durable"] = false
        if !mayRefer || !StepReferences.occur(in: .object(item)) {
            do throws(TintypeError) {
                _ = try ImageRequest(.object(item), rules: rules)
            } catch {
                if error.name == .invalidParams { throw Self.placed(error, at: path) }
            }
        }
        item[ownerMember] = owner.map { .string($0) }
        item[sharerMember] = sharer.map { .string($0) }
        // Without its state, whose letters could be read as a reference to a step.
        item[traceMember] = trace.map { .string($0.parent) }
        return .object(item)
    }

    /// The members that name an item's owner, its sharer and its trace in Redis. No parameter has these names.
    private static let (ownerMember, sharerMember, traceMember) = ("$owner", "$sharer", "$trace")

    /// Returns the request of a stored item, its owner, its sharer, and its trace.
    static func opened(_ item: JSON) -> (request: JSON, owner: String?, sharer: String?, trace: TraceContext?) {
        guard var object = item.object else { return (item, nil, nil, nil) }
        let (owner, sharer) = (object[ownerMember]?.string, object[sharerMember]?.string)
        let trace = object[traceMember]?.string.flatMap { TraceContext(parent: $0) }
        for member in [ownerMember, sharerMember, traceMember] { object[member] = nil }
        return (.object(object), owner, sharer, trace)
    }

    private static func placed(_ error: TintypeError, at path: String) -> TintypeError {
        let inner = error.details["path"]?.string ?? ""
        return .invalidParams(
            path: inner.isEmpty ? path : "\(path).\(inner)", shown: error.details["value"], expected: error.details["expected"]?.string ?? "another value")
    }
}
