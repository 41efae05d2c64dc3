import TintypeCore
import TintypeImages
import TintypeSettings

/// What the operator lets requests ask for.
struct Permissions: Sendable {
    /// Any certificate will do, `fetch.tls.allowInvalid`.
    var allowsInvalidTLS = false
    /// `file:` URLs.
    var allowsFiles = false
    /// What text may be drawn with.
    var fonts = SharedSettings().fonts
    /// How long connecting, a pause and a whole download may take, each.
    var longestTimeout = CoordinatorSettings().maxTimeout
    /// How long a request may take from acceptance to result.
    var longestDeadline = CoordinatorSettings().maxDeadline

    /// The times of a download that says nothing else, cut to what is permitted; nil for the usual ones.
    func bounded(_ timeouts: FetchOptions.Timeouts?) -> FetchOptions.Timeouts? {
        var bounded = timeouts ?? FetchOptions.Timeouts()
        let most = longestTimeout / .seconds(1)
        (bounded.connect, bounded.idle, bounded.total) = (min(bounded.connect, most), min(bounded.idle, most), min(bounded.total, most))
        return bounded == FetchOptions.Timeouts() ? nil : bounded
    }

    /// - Throws: `forbidden`, `denied`; `invalidParams` for a font, and for times beyond the operator's ceilings.
    func check(_ request: ImageRequest) throws(TintypeError) {
        try checkTimes(of: request)
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

    /// Who holds a place for long keeps others from it: that is the operator's to allow. The usual times need no permission.
    private func checkTimes(of request: ImageRequest) throws(TintypeError) {
        let most = (deadline: longestDeadline / .seconds(1), timeout: longestTimeout / .seconds(1))
        guard request.deadline <= max(most.deadline, ImageRequest.usualDeadline) else {
            throw .invalidParams(
                path: "deadline", value: JSON(request.deadline), expected: "at most \(JSON(most.deadline).text) s, which the operator permits by --max-deadline"
            )
        }
        let usual = FetchOptions.Timeouts()
        for source in [request.source] + request.renditions.flatMap(\.layers).map(\.source) {
            let times = source.fetch.timeouts
            for (name, asked, free) in [("connect", times.connect, usual.connect), ("idle", times.idle, usual.idle), ("total", times.total, usual.total)]
            where asked > max(most.timeout, free) {
                throw .invalidParams(
                    path: "fetch.timeouts.\(name)", value: JSON(asked),
                    expected: "at most \(JSON(most.timeout).text) s, which the operator permits by --max-timeout")
            }
        }
    }

    private func check(_ rendition: Rendition, at path: String) throws(TintypeError) {
        let allowed = fonts.map { $0.lowercased() } + [Text.usualFont]
        for (index, operation) in rendition.operations.enumerated() {
            guard let text = operation.as(Text.self), !allowed.contains(text.font) else { continue }
            let names = fonts.map { "\"\($0)\"" }.joined(separator: ", ")
            let hint = NearestName.of(text.font, among: fonts).map { " (did you mean \"\($0)\"?)" } ?? ""
            throw .invalidParams(
                path: ParameterType.join(path, "transform[\(index)].font"), value: .string(text.font),
                expected: "one of \(names), which the operator permits by --fonts\(hint)")
        }
    }
}
