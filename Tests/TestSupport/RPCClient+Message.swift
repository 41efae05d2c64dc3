package import TintypeCore

extension RPCClient {
    /// An answer or a notification, read by the names of its members.
    package struct Message: Sendable, CustomStringConvertible {
        package let json: JSON

        /// Reads the messages of a line: one, or a batch; none if the line is no JSON.
        static func read(_ line: some Sequence<UInt8>) -> [Message] {
            guard let json = try? JSON(parsing: line, maxDepth: 1000) else { return [] }
            return (json.array ?? [json]).map { Message(json: $0) }
        }

        package var description: String { json.text }

        package var result: JSON? { json["result"] }
        package var params: JSON? { json["params"] }
        package var method: String? { json["method"]?.string }
        package var error: Failure? { json["error"].map { Failure(json: $0) } }

        /// The result, or the params of a notification; an empty object without either.
        package var body: JSON { result ?? params ?? [:] }

        /// A member of the body.
        package subscript(name: String) -> JSON? { body[name] }

        package var receipt: String? { self["receipt"]?.string }
        package var group: String? { self["group"]?.string }
        package var state: String? { self["state"]?.string }
        /// The place that a result comes from.
        package var from: String? { self["from"]?.string }
        package var renditions: [JSON] { self["renditions"]?.array ?? [] }
        /// The type of an event.
        package var type: String? { self["type"]?.string }
        package var hook: String? { self["hook"]?.string }
    }

    /// The error of an answer.
    package struct Failure: Sendable, CustomStringConvertible {
        package let json: JSON

        package var description: String { json.text }

        package var code: Int? { json["code"]?.int }
        package var message: String? { json["message"]?.string }
        package var data: JSON { json["data"] ?? [:] }
        package var name: String? { data["name"]?.string }
    }
}

extension JSON {
    /// The elements of an array of strings; nil for anything else.
    package var strings: [String]? { array.flatMap { all in all.allSatisfy { $0.string != nil } ? all.compactMap(\.string) : nil } }

    /// The members of an object of integers; nil for anything else.
    package var integers: [String: Int]? {
        guard let members = object?.members, members.allSatisfy({ $0.value.int != nil }) else { return nil }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.int ?? 0) })
    }

    /// The members of an object of numbers; nil for anything else.
    package var doubles: [String: Double]? {
        guard let members = object?.members, members.allSatisfy({ $0.value.double != nil }) else { return nil }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.double ?? 0) })
    }
}
