package import TintypeCore

/// The types, events, methods and errors that a client library has, in no language. The descriptions that validate requests are their source.
///
/// A renderer turns the model into the source text of one language. Names are those of the wire; the renderer spells them as its language does.
package struct ClientModel: Sendable {
    /// The type of a member.
    package indirect enum Kind: Sendable, Hashable {
        case boolean, text, integer, number, json, null
        /// Bytes, in base64 on the wire.
        case bytes
        /// One of these texts.
        case choice([String])
        /// A choice or a record of this name; `Operation` is any operation.
        case named(String)
        case list(Kind)
        /// An object with any names.
        case map(Kind)
        case either([Kind])
    }

    /// One member of a record, or one parameter of a method.
    package struct Member: Sendable {
        package let name: String
        package var kind: Kind
        package let isRequired: Bool
        /// The value of an absent member; nil if absence has a meaning of its own.
        package let defaultValue: JSON?
        /// The meaning, without links.
        package let summary: String
        /// The bounds of a number in words, such as "1 to 100".
        package let bounds: String?
        /// Whether the value, or a part of it, must not be shown, as in a log.
        package let isSecret: Bool
    }

    /// An object with named members.
    package struct Record: Sendable {
        package enum Use: Sendable { case operation, options, result, event }
        package let name: String
        package let summary: String
        package let members: [Member]
        package let use: Use
        /// The member that tells records apart, and its value: `op` of an operation, `type` of an event. It is none of `members`.
        package var tag: (member: String, value: String)?
        /// The members that a call may give without their names, in this order.
        package var leading: [String] = []
        /// Whether it is the last event of a receipt.
        package var isTerminal = false
    }

    /// A list of texts with a name.
    package struct Choice: Sendable {
        package let name: String
        package let values: [String]
    }

    /// One method of the JSON-RPC interface.
    package struct Method: Sendable {
        /// How a method takes a `Request`: its members beside the parameters, or not at all.
        package enum Taking: Sendable { case none, always, perhaps }
        package let name: String
        package let summary: String
        /// Those that are required come first.
        package let parameters: [Member]
        package let request: Taking
        /// `json` if no record describes the result.
        package let result: Kind
        /// The result in words.
        package let answer: String
        /// The result, where `result` is `json` and the catalogue of answers has its type.
        package let typedAnswer: Answer?
        package let role: AccessRole
    }

    /// An answer with a type.
    package enum Answer: Sendable {
        case record(Kind)
        /// The only member of the answer.
        case member(Member)
    }

    package internal(set) var choices: [Choice] = []
    /// The operations and options of requests, each after those that it is made of.
    package internal(set) var parameters: [Record] = []
    package internal(set) var results: [Record] = []
    /// The answers of methods beside the results, each after those that it is made of.
    package internal(set) var answers: [Record] = []
    /// The members of every event.
    package internal(set) var common: [Member] = []
    package internal(set) var events: [Record] = []
    package internal(set) var methods: [Method] = []

    /// The names of the operations.
    package var operations: [String] { parameters.filter { $0.use == .operation }.map(\.name) }
    /// The members of a request.
    package var request: Record? { parameters.first { $0.name == "Request" } }
}
