import Shared

/// What the operator lets requests ask for.
struct Permissions: Sendable {
    /// Any certificate will do, `fetch.tls.allowInvalid`.
    var allowsInvalidTLS = false
    /// `file:` URLs.
    var allowsFiles = false
    /// What text may be drawn with.
    var fonts = SharedSettings().fonts

    /// - Throws: `forbidden`, `denied`; `invalidParams` for a font.
    func check(_ request: ImageRequest) throws(TintypeError) {
        let sources = [request.source] + request.renditions.flatMap(\.layers).map(\.source)
        if !allowsFiles, let file = sources.flatMap(\.addresses).first(where: { $0.host == "file:" }) {
            throw TintypeError(
                .denied, .admission, "file: URLs are not fetched here; the operator permits them by --file-root",
                details: ["url": .string(RedactedURL(file.url).description), "scheme": "file"])
        }
        if request.source.fetch.allowsInvalidTLS, !allowsInvalidTLS {
            throw TintypeError(
                .forbidden, .admission, "fetch.tls.allowInvalid is not permitted here; the operator permits it by --allow-invalid-tls",
                details: ["path": "fetch.tls.allowInvalid"])
        }
        for (index, rendition) in request.renditions.enumerated() {
            try check(rendition, at: request.renditions.count == 1 && rendition.name == "default" ? "" : "renditions[\(index)]")
        }
    }

    private func check(_ rendition: Rendition, at path: String) throws(TintypeError) {
        let allowed = fonts.map { $0.lowercased() } + [Text.usualFont]
        for (index, operation) in rendition.operations.enumerated() {
            guard case .text(let text) = operation, !allowed.contains(text.font) else { continue }
            let names = fonts.map { "\"\($0)\"" }.joined(separator: ", ")
            let hint = NearestName.of(text.font, among: fonts).map { " (did you mean \"\($0)\"?)" } ?? ""
            throw .invalidParams(
                path: ParameterType.join(path, "transform[\(index)].font"), value: .string(text.font),
                expected: "one of \(names), which the operator permits by --fonts\(hint)")
        }
    }
}
