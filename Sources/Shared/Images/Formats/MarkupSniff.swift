/// The kind of a markup text by its first element: an SVG, a page, or other XML. A declaration, comments and a document type may precede it.
enum MarkupSniff {
    /// - Returns: nil for any other text.
    static func of(_ bytes: UnsafeRawBufferPointer) -> ImageSniff? {
        let text = MarkupText(bytes)
        var place: Int?
        var plain: ImageSniff?
        while let part = text.part(&place) {
            switch part {
            case .instruction(let isXML): if isXML { plain = .other("xml") }
            case .comment: break
            case .type(let name): return kind(name) ?? plain ?? .other("html")
            case .element(let name, _): return kind(name) ?? plain
            }
        }
        return plain
    }

    private static func kind(_ name: String) -> ImageSniff? {
        let name = name.lowercased()
        if name == "html" { return .other("html") }
        // A namespace prefix is possible.
        return name == "svg" || name.hasSuffix(":svg") ? .image(.svg) : nil
    }
}
