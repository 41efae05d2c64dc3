/// A format of `GET /metrics`. A pure value.
package enum MetricsFormat: Sendable, CaseIterable {
    /// Prometheus' text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0. A counter's family has no `_total`, a bound is no integer, and the text has an end, which shows that it is whole.
    case openMetrics

    /// Returns the format for a request with this Accept header. It is OpenMetrics if the header wants that no less than plain text, and names no other
    /// version than 1.0.0.
    package init(accept header: String?) {
        var (open, plain) = (0.0, 0.0)
        for part in (header ?? "").split(separator: ",") {
            let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let options = words.dropFirst()
            let weight = options.first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch words.first {
            case "application/openmetrics-text" where options.allSatisfy({ !$0.hasPrefix("version=") || $0 == "version=1.0.0" }): open = max(open, weight)
            case "text/plain": plain = max(plain, weight)
            default: break
            }
        }
        self = open > 0 && open >= plain ? .openMetrics : .prometheus
    }

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The last line of the text.
    var end: String {
        switch self {
        case .prometheus: ""
        case .openMetrics: "# EOF\n"
        }
    }

    private static let names = Set(Metric.allCases.map(\.description.name))

    /// Returns the lines in front of the series of a metric.
    func head(_ description: MetricDescription) -> String {
        var (family, kind) = (description.name, description.kind.rawValue)
        if self == .openMetrics, description.kind == .counter {
            let short = String(family.dropLast("_total".count))
            // A counter whose short name a gauge has would be the same family. It is of the unknown kind then, and keeps its whole name.
            if Self.names.contains(short) { kind = "unknown" } else { family = short }
        }
        return "# HELP \(family) \(description.help)\n# TYPE \(family) \(kind)\n"
    }

    func lines(_ description: MetricDescription, _ values: [String], _ series: Metrics.Series) -> String {
        let labels = zip(description.labels, values).map { "\($0)=\"\(Self.escaped($1))\"" }
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        guard description.kind == .histogram else { return "\(description.name)\(braces) \(Self.number(series.value))\n" }
        var text = ""
        var total: UInt64 = 0
        for (index, (bound, count)) in zip(description.buckets, series.buckets).enumerated() {
            total += count
            text += bucket(description, labels, self.bound(bound), total, series.exemplars[index])
        }
        text += bucket(description, labels, "+Inf", series.count, series.exemplars[series.buckets.count])
        return text + "\(description.name)_sum\(braces) \(Self.number(series.value))\n\(description.name)_count\(braces) \(series.count)\n"
    }

    /// Returns the line of a bucket. In OpenMetrics, an exemplar may follow the count.
    private func bucket(
        _ description: MetricDescription, _ labels: [String], _ bound: String, _ count: UInt64, _ exemplar: Metrics.Exemplar?
    ) -> String {
        let line = "\(description.name)_bucket{\((labels + ["le=\"\(bound)\""]).joined(separator: ","))} \(count)"
        guard self == .openMetrics, let exemplar else { return line + "\n" }
        return line + " # {trace_id=\"\(exemplar.trace)\"} \(Self.number(exemplar.value)) \(WallClock.text(exemplar.at))\n"
    }

    private func bound(_ value: Double) -> String {
        switch self {
        case .prometheus: Self.number(value)
        case .openMetrics: "\(value)"
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        // By scalars: a quotation mark with an accent is one character, and would not be found.
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n", "\r": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
