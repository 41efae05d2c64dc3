import TintypeTransport

/// The arguments of a script that takes options: `name, value, …`, and perhaps the word `items` with a list behind it. `read_options` of the prelude reads
/// them.
struct ScriptArguments: Sendable {
    let script: QueueScript
    private(set) var words: [RedisArgument] = []

    /// - Parameters:
    ///   - options: an option whose value is nil has its default, and is not sent.
    ///   - items: the list behind the options.
    init(_ script: QueueScript, _ options: KeyValuePairs<ScriptOption, RedisArgument?>, items: [RedisArgument]? = nil) {
        self.script = script
        words.reserveCapacity(2 * options.count + 1 + (items?.count ?? 0))
        add(options, items: items)
    }

    /// Adds options, and perhaps the list. Nothing may follow a list.
    mutating func add(_ options: KeyValuePairs<ScriptOption, RedisArgument?>, items: [RedisArgument]? = nil) {
        for case (let option, let value?) in options {
            assert(ScriptOption.read[script]?.contains(option.rawValue) == true, "\(script) does not read \(option)")
            words.append(.string(option.rawValue))
            words.append(value)
        }
        if let items {
            words.append("items")
            words += items
        }
    }
}

extension RedisArgument? {
    /// A text; nil: its default, nil or empty.
    static func ifAny(_ text: String?) -> RedisArgument? { text.flatMap { $0.isEmpty ? nil : .string($0) } }

    /// A number; nil: its default.
    static func int(_ value: Int64, unless usual: Int64) -> RedisArgument? { value == usual ? nil : .int(value) }

    /// A flag; nil: not set.
    static func flag(_ isSet: Bool) -> RedisArgument? { isSet ? "1" : nil }
}

extension Queue {
    func run(_ arguments: ScriptArguments, waits: Bool = true) async throws(RedisError) -> RedisReply {
        try await run(arguments.script, arguments.words, waits: waits)
    }

    func run(
        _ script: QueueScript, _ options: KeyValuePairs<ScriptOption, RedisArgument?>, items: [RedisArgument]? = nil, waits: Bool = true
    ) async throws(RedisError) -> RedisReply {
        try await run(ScriptArguments(script, options, items: items), waits: waits)
    }

    func run(
        shared script: QueueScript, _ options: KeyValuePairs<ScriptOption, RedisArgument?>, items: [RedisArgument]? = nil
    ) async throws(RedisError) -> RedisReply {
        try await run(shared: script, ScriptArguments(script, options, items: items).words)
    }
}
