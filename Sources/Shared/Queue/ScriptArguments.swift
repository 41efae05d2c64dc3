import TintypeTransport

/// The arguments of a script that takes options: `name, value, …`, and perhaps the word `items` with a list behind it. `read_options` of the prelude reads
/// them. An option with its default is not sent.
struct ScriptArguments: Sendable {
    /// The word before the list.
    private static let items: RedisArgument = "items"

    let script: QueueScript
    private(set) var words: [RedisArgument] = []

    /// - Parameter capacity: about the number of words.
    init(_ script: QueueScript, capacity: Int = 16) {
        self.script = script
        words.reserveCapacity(capacity)
    }

    mutating func add(_ option: ScriptOption, _ value: RedisArgument) {
        assert(ScriptOption.read[script]?.contains(option.rawValue) == true, "\(script) does not read \(option)")
        words.append(.string(option.rawValue))
        words.append(value)
    }

    mutating func add(_ option: ScriptOption, _ value: String) { add(option, .string(value)) }

    /// Adds a text, unless it is the default: nil or empty.
    mutating func add(_ option: ScriptOption, ifAny value: String?) {
        if let value, !value.isEmpty { add(option, .string(value)) }
    }

    /// Adds a number, unless it is the default.
    mutating func add(_ option: ScriptOption, _ value: Int64, unless usual: Int64) {
        if value != usual { add(option, .int(value)) }
    }

    /// Adds a flag that is set.
    mutating func add(_ option: ScriptOption, if isSet: Bool) {
        if isSet { add(option, "1") }
    }

    /// Adds the list behind the options. No option may follow.
    mutating func add(items: some Sequence<RedisArgument>) {
        words.append(Self.items)
        words.append(contentsOf: items)
    }
}

extension Queue {
    func run(_ arguments: ScriptArguments, waits: Bool = true) async throws(RedisError) -> RedisReply {
        try await run(arguments.script, arguments.words, waits: waits)
    }
}
