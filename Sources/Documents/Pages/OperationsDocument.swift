import TintypeCore
import TintypeSettings

/// The tables for `docs/operations.md`, made from the descriptions of settings, metrics and variables.
enum OperationsDocument {
    static func settings() -> String {
        """
        ### tintype-coordinator

        \(table(of: CoordinatorSettings.self))
        ### tintype-worker

        \(table(of: WorkerSettings.self))
        ### tintype up

        \(table(of: UpSettings.self))
        """
    }

    private static func table<Group: SettingsGroup>(of group: Group.Type) -> String {
        let defaults = Group()
        let rows = Group.settings.map { setting in
            let fallback = setting.defaultNote ?? setting.shown(in: defaults).map { "`\($0)`" } ?? ""
            let usage = setting.usage.replacing("|", with: "\\|")
            return "| `\(usage)` | `\(setting.variable)` | `\(setting.fileKey)` | \(fallback) | \(setting.help) |"
        }
        return "| flag | environment | file | default | what |\n|---|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n"
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
