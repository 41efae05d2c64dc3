import ImgproxyURLs

/// The tables of options for `docs/imgproxy.md`, made from their descriptions and from the list of gaps.
enum OptionDocument {
    /// Markdown with one row an option, in the order of `PictureOptionTable`.
    static func markdown() -> String {
        let free = PictureOptionTable.all.filter { !$0.isPro }
        let pro = PictureOptionTable.all.filter { $0.isPro && $0.isRead }
        let unread = PictureOptionTable.all.filter { !$0.isRead }
        return """
            ### Free options

            \(table(free))
            ### Options of imgproxy Pro that have an operation here

            \(table(pro))
            ### Options for presets only

            \(table(PictureOptionTable.own))
            ### Refused uses

            | option | refused with |
            |---|---|
            \(DoorGap.all.map { "| `\($0.option)` | \($0.use) |" }.joined(separator: "\n"))

            ### Refused options

            All of these belong to imgproxy Pro.

            | option | short | why |
            |---|---|---|
            \(unread.map { "| `\($0.name)` | \(aliases($0)) | \($0.becomes) |" }.joined(separator: "\n"))

            """
    }

    private static func table(_ options: [PictureOption]) -> String {
        "| option | short | becomes | done |\n|---|---|---|---|\n" + options.map(row).joined()
    }

    private static func aliases(_ option: PictureOption) -> String { option.aliases.map { "`\($0)`" }.joined(separator: ", ") }

    private static func row(_ option: PictureOption) -> String {
        let isWhole = !DoorGap.all.contains { $0.option == option.name }
        let done = isWhole ? option.isOperators ? "in presets" : "yes" : "in part"
        return "| `\(option.notation)` | \(aliases(option)) | \(option.becomes) | \(done) |\n"
    }
}
