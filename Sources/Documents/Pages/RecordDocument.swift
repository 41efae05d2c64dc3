import TintypeQueue

/// The lists of fields for `Sources/Shared/queue.md`, made from the descriptions of the records.
enum RecordDocument {
    static func markdown() -> String {
        RecordKind.allCases.map { "The fields of `\($0.rawValue)`:\n\n\($0.fields.map(line).joined())" }.joined(separator: "\n")
    }

    private static func line(_ field: RecordField) -> String {
        "- `\(field.name)`: \(field.meaning)\(field.absent.map { " Absent: \($0)" } ?? "")\n"
    }
}
