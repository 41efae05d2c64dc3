import TintypeCore
import TintypeImages

/// The types, events, methods and errors that a client library has, in no language. The descriptions that validate requests are their source.
///
/// A renderer turns the model into the source text of one language. Names are those of the wire; the renderer spells them as its language does.
struct ClientModel: Sendable {
    /// The type of a member.
    indirect enum Kind: Sendable, Hashable {
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
    struct Member: Sendable {
        let name: String
        var kind: Kind
        let isRequired: Bool
        /// The value of an absent member; nil if absence has a meaning of its own.
        let defaultValue: JSON?
        /// The meaning, without links.
        let summary: String
        /// The bounds of a number in words, such as "1 to 100".
        let bounds: String?
        /// Whether the value, or a part of it, must not be shown, as in a log.
        let isSecret: Bool

        /// The summary, the bounds and the default, as sentences.
        var meaning: String {
            let bounds = bounds.map { " \(ClientNames.capital($0))." } ?? ""
            return summary + bounds + (defaultValue.map { " Default: `\($0.text)`." } ?? "")
        }
    }

    /// An object with named members.
    struct Record: Sendable {
        enum Use: Sendable { case operation, options, result, event }
        let name: String
        let summary: String
        let members: [Member]
        let use: Use
        /// The member that tells records apart, and its value: `op` of an operation, `type` of an event. It is none of `members`.
        var tag: (member: String, value: String)?
        /// The members that a call may give without their names, in this order.
        var leading: [String] = []
        /// Whether it is the last event of a receipt.
        var isTerminal = false
    }

    /// A list of texts with a name.
    struct Choice: Sendable {
        let name: String
        let values: [String]
    }

    /// One method of the JSON-RPC interface.
    struct Method: Sendable {
        /// How a method takes a `Request`: its members beside the parameters, or not at all.
        enum Taking: Sendable { case none, always, perhaps }
        let name: String
        let summary: String
        /// Those that are required come first.
        let parameters: [Member]
        let request: Taking
        /// `json` if no record describes the result.
        let result: Kind
        /// The result in words.
        let answer: String
        /// The result, where `result` is `json` and the catalog of answers has its type.
        let typedAnswer: Answer?
        let role: AccessRole
    }

    /// An answer with a type.
    enum Answer: Sendable {
        case record(Kind)
        /// The only member of the answer.
        case member(Member)
    }

    var choices: [Choice] = []
    /// The operations and options of requests, each after those that it is made of.
    var parameters: [Record] = []
    var results: [Record] = []
    /// The answers of methods beside the results, each after those that it is made of.
    var answers: [Record] = []
    /// The members of every event.
    var common: [Member] = []
    var events: [Record] = []
    var methods: [Method] = []

    /// The names of the operations.
    var operations: [String] { parameters.filter { $0.use == .operation }.map(\.name) }
    /// The members of a request.
    var request: Record? { parameters.first { $0.name == "Request" } }
}
