import TintypeCore
import TintypeImages
import TintypeSettings

/// The options that the operator permits to requests.
struct Permissions: Sendable {
    /// Whether `fetch.tls.allowInvalid` is permitted, which accepts any certificate.
    let allowsInvalidTLS: Bool
    /// Whether `file:` URLs are permitted.
    let allowsFiles: Bool
    /// The fonts that text may be drawn with.
    let fonts: [String]
    /// The longest time each for connecting, for a pause and for a whole download.
    let longestTimeout: Duration
    /// The longest time from the acceptance of a request to its result.
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

    /// Returns the timeouts of a download, cut to the permitted ones; nil for the default timeouts.
    func bounded(_ timeouts: FetchOptions.Timeouts?) -> FetchOptions.Timeouts? {
        var bounded = timeouts ?? FetchOptions.Timeouts()
        let most = longestTimeout / .seconds(1)
        (bounded.connect, bounded.idle, bounded.total) = (min(bounded.connect, most), min(bounded.idle, most), min(bounded.total, most))
        return bounded == FetchOptions.Timeouts() ? nil : bounded
    }

    /// - Throws: `forbidden`, `denied`, or `invalidParams` for a font or a time above the operator's limits.
    func check(_ request: ImageRequest) throws(TintypeError) {
        try checkTimes(of: request)
        let sources = [request.source] + request.renditions.flatMap(\.layers).map(\.source)
        if !allowsFiles, let file = sources.flatMap(\.addresses).first(where: { $0.host == "file:" }) {
            throw TintypeError(
                .denied, .admission, "file: URLs are not permitted here: the operator permits them by --file-root",
                details: ["url": .string(RedactedURL(file.url).description), "scheme": "file"])
        }
        if !allowsInvalidTLS, sources.contains(where: \.fetch.allowsInvalidTLS) {
            throw TintypeError(
                .forbidden, .admission, "fetch.tls.allowInvalid is not permitted here: the operator permits it by --allow-invalid-tls",
                details: ["path": "fetch.tls.allowInvalid"])
        }
        for (index, rendition) in request.renditions.enumerated() {
            try check(rendition, at: request.renditions.count == 1 && rendition.name == "default" ? "" : "renditions[\(index)]")
        }
    }

    /// Checks the options that rules set by the same limits, when the rules are read.
    /// - Parameter path: The place of the options.
    /// - Throws: `invalidParams`.
    func check(_ options: RuleOptions, at path: String) throws(TintypeError) {
        try check(deadline: options.deadline ?? ImageRequest.usualDeadline, at: path + ".deadline")
        try check(options.fetch.timeouts, at: path + ".fetch.timeouts")
        guard options.fetch.allowsInvalidTLS, !allowsInvalidTLS else { return }
        throw .invalidParams(path: path + ".fetch.tls.allowInvalid", value: true, expected: "false, unless the operator permits it by --allow-invalid-tls")
    }

    /// Checks the times of a request. A request that holds a permit for long keeps others from it, so the operator must permit long times. The
    /// default times need no permission.
    private func checkTimes(of request: ImageRequest) throws(TintypeError) {
        try check(deadline: request.deadline, at: "deadline")
        for source in [request.source] + request.renditions.flatMap(\.layers).map(\.source) { try check(source.fetch.timeouts, at: "fetch.timeouts") }
    }

    private func check(deadline: Double, at path: String) throws(TintypeError) {
        let most = longestDeadline / .seconds(1)
        guard deadline > max(most, ImageRequest.usualDeadline) else { return }
        throw .invalidParams(path: path, value: JSON(deadline), expected: "at most \(JSON(most).text) s, which the operator permits by --max-deadline")
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
