/// One operation of a trace (OpenTelemetry, trace API). A pure value: its owner changes it until its end, and gives it to a `Tracer` then.
package struct TraceSpan: Sendable {
    /// The relation of a span to the spans around it. The numbers are those of OTLP.
    package enum Kind: Int, Sendable, Hashable { case `internal` = 1, server, client, producer, consumer }

    /// The most links of one span. A fetch may have thousands of receipts.
    package static let mostLinks = 64
    /// The longest text of an attribute in bytes. Longer ones are cut.
    package static let longestText = 1024

    package let name: String
    package let kind: Kind
    package let context: TraceContext
    /// The span that this one is a part of; nil for the first one of a trace.
    package let parent: SpanID?
    /// Seconds since 1970.
    package let start: Double
    /// Seconds since 1970.
    package var end: Double
    package private(set) var attributes: [(key: String, value: JSON)] = []
    /// Moments within the span, in seconds since 1970.
    package var events: [(name: String, at: Double)] = []
    /// Spans of other traces that this one works for, or is a part of.
    package private(set) var links: [TraceContext] = []
    /// The number of links that found no room.
    package private(set) var droppedLinks = 0
    /// The reason for which the operation failed; nil: it has not.
    package var failure: String?

    /// - Parameters:
    ///   - context: The context of the new span itself.
    ///   - start: Seconds since 1970.
    package init(_ name: String, _ kind: Kind, _ context: TraceContext, parent: SpanID?, start: Double) {
        (self.name, self.kind, self.context, self.parent, self.start, end) = (name, kind, context, parent, start, start)
    }

    /// Makes a span below the one of `parent`.
    package init(_ name: String, _ kind: Kind, below parent: TraceContext, start: Double, end: Double? = nil) {
        let context = TraceContext(trace: parent.trace, span: .random(), isSampled: parent.isSampled, state: parent.state)
        self.init(name, kind, context, parent: parent.span, start: start)
        if let end { self.end = end }
    }

    /// Sets an attribute: a text, a number or a truth value. nil and other values are left out.
    package subscript(key: String) -> JSON? {
        get { attributes.first { $0.key == key }?.value }
        set {
            attributes.removeAll { $0.key == key }
            switch newValue {
            case .string(let text): attributes.append((key, .string(Self.cut(text))))
            case .some(let value): attributes.append((key, value))
            case nil: break
            }
        }
    }

    /// Adds a link, unless the span is linked already. A link beyond those that the span may have is only counted.
    package mutating func link(_ other: TraceContext) {
        if links.contains(other) { return }
        if links.count < Self.mostLinks { links.append(other) } else { droppedLinks += 1 }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return String(decoding: text.utf8.prefix(longestText - 3), as: UTF8.self) + "…"
    }
}
