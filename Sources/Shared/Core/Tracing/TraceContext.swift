/// The place of a request in a trace, as it goes from process to process (W3C Trace Context). A pure value.
package struct TraceContext: Sendable, Hashable {
    package let trace: TraceID
    /// The span that a new span has as its parent.
    package let span: SpanID
    /// Whether the spans of this trace are sent.
    package let isSampled: Bool
    /// The value of `tracestate`, which is passed on as it came; nil: there is none.
    package let state: String?

    /// The context of the current task. Log lines name its ids, and tasks that this one starts inherit the context.
    @TaskLocal package static var current: TraceContext?

    /// The longest `tracestate` that is passed on (§3.3.1.5).
    private static let longestState = 512

    package init(trace: TraceID, span: SpanID, isSampled: Bool, state: String? = nil) {
        (self.trace, self.span, self.isSampled, self.state) = (trace, span, isSampled, state)
    }

    /// Reads the two headers. A `traceparent` of a later version is read as far as version 00 goes (§3.2.4).
    /// - Parameter state: The value of `tracestate`. One that is too long or has other characters is left out.
    /// - Returns: nil without a valid `traceparent`: the request begins a trace of its own.
    package init?(parent: String, state: String? = nil) {
        let text = Array(parent.utf8)
        guard text.count >= 55, [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") }), let version = Self.byte(text[0..<2]), version != 0xff,
            text.count == 55 || version > 0 && text[55] == UInt8(ascii: "-"), let flags = Self.byte(text[53..<55]),
            let trace = TraceID(String(decoding: text[3..<35], as: UTF8.self)), let span = SpanID(String(decoding: text[36..<52], as: UTF8.self))
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1, state: state.flatMap { Self.isState($0) ? $0 : nil })
    }

    /// The context of a trace whose spans are not sent.
    package var unsampled: TraceContext { TraceContext(trace: trace, span: span, isSampled: false, state: state) }

    /// The value of `traceparent`.
    package var parent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    /// The members of an event or a request that name the context.
    package var members: JSONObject {
        var members: JSONObject = ["traceparent": .string(parent)]
        members["tracestate"] = state.map { .string($0) }
        return members
    }

    /// The headers that tell another service of the context.
    package var headers: [(name: String, value: String)] {
        [("traceparent", parent)] + (state.map { [("tracestate", $0)] } ?? [])
    }

    /// Reads the members of `_meta`, or of an event.
    package init?(members: JSONObject) {
        guard let parent = members["traceparent"]?.string else { return nil }
        self.init(parent: parent, state: members["tracestate"]?.string)
    }

    /// Reads a fragment of an event, which begins with a comma. A context comes first, so that a fragment without one costs a look at its beginning.
    package init?(fragment: String) {
        guard fragment.utf8.starts(with: ",\"traceparent\":".utf8), let members = (try? JSON(parsing: "{\(fragment.dropFirst())}"))?.object else { return nil }
        self.init(members: members)
    }

    /// Runs code within a context: its log lines and its tasks have the context.
    /// - Parameter context: nil: the code runs as it is.
    package static func within<Value, Failure: Error>(
        _ context: TraceContext?, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let context else { return try body() }
        return try $current.withValue(context) { Result { () throws(Failure) in try body() } }.get()
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        SpanID.number(Array(repeating: UInt8(ascii: "0"), count: 14) + digits).map { UInt8(truncatingIfNeeded: $0) }
    }

    private static func isState(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestState && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && text.utf8.contains(UInt8(ascii: "="))
    }
}
