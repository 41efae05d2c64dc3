import TintypeCore

/// Spans as one message of OTLP/HTTP in JSON: ids in hex, 64-bit numbers as texts, enumerations as numbers (OpenTelemetry protocol, JSON encoding). Pure.
enum SpanDocument {
    /// Returns the message for some spans of one process.
    static func text(_ spans: some Collection<TraceSpan>, resource: [(key: String, value: String)]) -> String {
        let attributes = resource.map { (key: $0.key, value: JSON.string($0.value)) }
        let scope: JSON = ["scope": ["name": "tintype", "version": .string(TintypeVersion.current)], "spans": .array(spans.map(json))]
        let document: JSON = ["resourceSpans": [["resource": ["attributes": list(attributes)], "scopeSpans": [scope]]]]
        return document.text
    }

    private static func json(_ span: TraceSpan) -> JSON {
        var json: JSONObject = ids(span.context)
        json["parentSpanId"] = span.parent.map { .string($0.description) }
        json["name"] = .string(span.name)
        json["kind"] = JSON(span.kind.rawValue)
        json["startTimeUnixNano"] = nanoseconds(span.start)
        json["endTimeUnixNano"] = nanoseconds(max(span.start, span.end))
        json["attributes"] = list(span.attributes)
        if !span.events.isEmpty {
            json["events"] = .array(span.events.map { ["timeUnixNano": nanoseconds($0.at), "name": .string($0.name)] })
        }
        if !span.links.isEmpty { json["links"] = .array(span.links.map { .object(ids($0)) }) }
        if span.droppedLinks > 0 { json["droppedLinksCount"] = JSON(span.droppedLinks) }
        json["status"] = span.failure.map { ["code": 2, "message": .string($0)] } ?? [:]
        return .object(json)
    }

    private static func ids(_ context: TraceContext) -> JSONObject {
        var json: JSONObject = ["traceId": .string(context.trace.description), "spanId": .string(context.span.description)]
        json["traceState"] = context.state.map { .string($0) }
        return json
    }

    private static func list(_ attributes: [(key: String, value: JSON)]) -> JSON {
        .array(
            attributes.compactMap { key, value in
                let typed: JSON
                switch value {
                case .string: typed = ["stringValue": value]
                case .bool: typed = ["boolValue": value]
                case .int(let number): typed = ["intValue": .string(String(number))]
                case .double: typed = ["doubleValue": value]
                case .null, .array, .object, .raw: return nil
                }
                return ["key": .string(key), "value": typed]
            })
    }

    private static func nanoseconds(_ seconds: Double) -> JSON {
        // A double has about 200 ns of precision at this time, which is finer than what is measured.
        .string(String(Int64((seconds * 1e6).rounded()) * 1000))
    }
}
