import TintypeCore
import TintypeImages
import TintypeSettings

/// What the operator lets requests ask for.
struct Permissions: Sendable {
    /// Any certificate will do, `fetch.tls.allowInvalid`.
    let allowsInvalidTLS: Bool
    /// `file:` URLs.
    let allowsFiles: Bool
    /// What text may be drawn with.
    let fonts: [String]
    /// How long connecting, a pause and a whole download may take, each.
    let longestTimeout: Duration
    /// How long a request may take from acceptance to result.
    let longestDeadline: Duration

    init(
        allowsInvalidTLS: Bool = false, allowsFiles: Bool = false, fonts: [String] = SharedSettings().fonts,
        longestTimeout: Duration = CoordinatorSettings().maxTimeout, longestDeadline: Duration = CoordinatorSettings().maxDeadline
    ) {
        (self.allowsInvalidTLS, self.allowsFiles, self.fonts) = (allowsInvalidTLS, allowsFiles, fonts)
        (self.longestTimeout, self.longestDeadline) = (longestTimeout, longestDeadline)
    }

    init(_ settings: CoordinatorSettings) {
        self.init(
            allowsInvalidTLS: settings.common.allowInvalidTLS, allowsFiles: settings.common.fileRoot != nil, fonts: settings.common.fonts,
            longestTimeout: settings.maxTimeout, longestDeadline: settings.maxDeadline)
    }

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
        if !allowsInvalidTLS, sources.contains(where: \.fetch.allowsInvalidTLS) {
            throw TintypeError(
                .forbidden, .admission, "fetch.tls.allowInvalid is not permitted here; the operator permits it by --allow-invalid-tls",
                details: ["path": "fetch.tls.allowInvalid"])
        }
        for (index, rendition) in request.renditions.enumerated() {
            try check(rendition, at: request.renditions.count == 1 && rendition.name == "default" ? "" : "renditions[\(index)]")
        }
    }

    /// Options that rules lay down are held to the same, when they are read.
    /// - Parameter path: where the options stand.
    /// - Throws: `invalidParams`.
    func check(_ options: RuleOptions, at path: String) throws(TintypeError) {
        try check(deadline: options.deadline ?? ImageRequest.usualDeadline, at: path + ".deadline")
        try check(options.fetch.timeouts, at: path + ".fetch.timeouts")
        guard options.fetch.allowsInvalidTLS, !allowsInvalidTLS else { return }
        throw .invalidParams(path: path + ".fetch.tls.allowInvalid", value: true, expected: "false, unless the operator permits it by --allow-invalid-tls")
    }

    /// Who holds a place for long keeps others from it: that is the operator's to allow. The usual times need no permission.
    private func checkTimes(of request: ImageRequest) throws(TintypeError) {
        try check(deadline: request.deadline, at: "deadline")
        for source in [request.source] + request.renditions.flatMap(\.layers).map(\.source) { try check(source.fetch.timeouts, at: "fetch.timeouts") }
    }

    private func check(deadline: Double, at path: String) throws(TintypeError) {
        let most = longestDeadline / .seconds(1)
        guard deadline > max(most, ImageRequest.usualDeadline) else { return }
        throw .invalidParams(
            path: path, value: JSON(deadline), expected: "at most \(JSON(most).text) s, which the operator permits by --max-deadline")
    }

    private func check(_ times: FetchOptions.Timeouts, at path: String) throws(TintypeError) {
        let (usual, most) = (FetchOptions.Timeouts(), longestTimeout / .seconds(1))
        for (name, asked, free) in [("connect", times.connect, usual.connect), ("idle", times.idle, usual.idle), ("total", times.total, usual.total)]
        where asked > max(most, free) {
            throw .invalidParams(
                path: "\(path).\(name)", value: JSON(asked), expected: "at most \(JSON(most).text) s, which the operator permits by --max-timeout")
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
