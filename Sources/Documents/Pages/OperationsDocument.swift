import TintypeContracts
import TintypeCore
import TintypeQueue
import TintypeSettings

/// The tables for `docs/settings.md`, `docs/metrics.md` and `docs/traces.md`, made from the descriptions of settings, metrics and variables; and those of records.
enum OperationsDocument {
    /// A row that an earlier program has is not repeated.
    static func settings() -> String {
        let (coordinator, worker) = (rows(of: CoordinatorConfiguration.self), rows(of: WorkerConfiguration.self))
        let known = Set(coordinator.map(\.row))
        let all = known.union(worker.map(\.row))
        let shared = worker.filter { known.contains($0.row) }.map { "`--\($0.flag)`" }
        let lists = stride(from: 0, to: shared.count, by: 8).map { shared.dropFirst($0).prefix(8).joined(separator: ", ") }
        return """
            ## tintype-coordinator

            \(table(coordinator.map(\.row)))
            ## tintype-worker

            These settings are the same as those of `tintype-coordinator`:

            \(lists.joined(separator: ",\n"))

            The worker has further settings:

            \(table(worker.map(\.row).filter { !known.contains($0) }))
            ## tintype up

            `tintype up` takes all settings of both servers; `--http` is that of its coordinator.
            These are its own, or have another default:

            \(table(rows(of: UpSettings.self).map(\.row).filter { !all.contains($0) }))
            """
    }

    private static func table(_ rows: [String]) -> String {
        "| flag | environment | file | default | what |\n|---|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n"
    }

    private static func rows<Group: SettingsGroup>(of group: Group.Type) -> [(flag: String, row: String)] {
        let defaults = Group()
        return Group.settings.map { setting in
            let fallback = setting.defaultNote ?? setting.shown(in: defaults).map { "`\($0)`" } ?? ""
            let usage = setting.usage.replacing("|", with: "\\|")
            return (setting.flag, "| `\(usage)` | `\(setting.variable)` | `\(setting.fileKey)` | \(fallback) | \(setting.help) |")
        }
    }

    static func metrics() -> String {
        let rows = Metric.allCases.map { metric in
            let description = metric.description
            let labels = description.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(description.name)` | \(description.kind.rawValue) | \(labels) | \(description.help) |\n"
        }
        return "| metric | kind | labels | what |\n|---|---|---|---|\n" + rows.joined()
    }

    static func traces() -> String {
        "| variable | meaning, and its default |\n|---|---|\n" + TraceVariable.allCases.map { "| `\($0.rawValue)` | \($0.help) |\n" }.joined()
    }

    /// The lists of fields for `Sources/Shared/queue.md`.
    static func fields() -> String {
        RecordKind.allCases.map { "The fields of `\($0.rawValue)`:\n\n\($0.fields.map(line).joined())" }.joined(separator: "\n")
    }

    private static func line(_ field: RecordField) -> String {
        "- `\(field.name)`: \(field.meaning)\(field.absent.map { " Absent: \($0)" } ?? "")\n"
    }
}

extension TraceVariable {
    /// The effect of the variable.
    fileprivate var help: String {
        switch self {
        case .tracesEndpoint: "The whole URL that spans are posted to. Without this variable and the next one, no spans are made."
        case .endpoint: "The URL of the collector; `/v1/traces` is added."
        case .tracesHeaders, .headers: "Headers of each post, such as a token: `name=value,name=value`, percent-encoded. Their values are never logged."
        case .tracesProtocol, .protocol:
            "Spans are sent as JSON over HTTP, with `http/protobuf` too: the Collector of OpenTelemetry takes both at one port. With `grpc` no spans are made."
        case .tracesTimeout, .timeout: "The longest time of one post in ms; 10000."
        case .tracesCertificate, .certificate: "A file with the authorities of the collector's certificate, in PEM format."
        case .exporter: "`otlp`, or `none` for no spans."
        case .sampler:
            "`parentbased_always_on`, or one of `always_on`, `always_off`, `traceidratio`, `parentbased_always_off`, `parentbased_traceidratio`."
        case .samplerArgument: "The part of the traces that a sampler with `ratio` sends, 0 to 1; 1."
        case .queueSize: "The most spans that wait; 2048. Further ones are dropped and counted."
        case .batchSize: "The most spans of one post; 512."
        case .delay: "The longest time that a span waits for others in ms; 5000."
        case .serviceName: "`service.name`; `tintype-coordinator` or `tintype-worker`."
        case .resource: "Further attributes of the process: `name=value,name=value`, percent-encoded."
        case .disabled: "`true` for no spans."
        }
    }
}
