import TintypeCore
import TintypeSettings

/// The tables for `docs/settings.md`, `docs/metrics.md` and `docs/traces.md`, made from the descriptions of settings, metrics and variables.
enum OperationsDocument {
    /// A row that an earlier program has is not repeated.
    static func settings() -> String {
        let (coordinator, worker) = (rows(of: CoordinatorSettings.self), rows(of: WorkerSettings.self))
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
}
