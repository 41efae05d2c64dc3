import TintypeCore

/// What a request says of previews: pictures of what has arrived, while the rest arrives.
package struct PreviewOptions: Sendable, Hashable {
    package enum Mode: String, Sendable, CaseIterable, Hashable {
        /// What there is, as it is.
        case plain
        /// Less blurred the more there is, so that nobody sees blocks and missing rows.
        case blur
    }

    package var mode = Mode.plain
    /// The least time between two, in seconds.
    package var interval = 0.2
    /// In pixels. A narrower source is not enlarged.
    package var width = 320

    package init(mode: Mode = .plain, interval: Double = 0.2, width: Int = 320) {
        (self.mode, self.interval, self.width) = (mode, interval, width)
    }

    package static let parameter = ParameterDescription(
        "progressive",
        .union([
            .boolean,
            .object([
                ParameterDescription(
                    "mode", .choice(Mode.allCases.map(\.rawValue)), default: "plain",
                    "plain: what there is; blur: less blurred the more there is, of progressive JPEG and interlaced PNG only."),
                ParameterDescription("interval", .number(0.05...3600), default: 0.2, "Seconds between two previews at the least."),
                ParameterDescription("width", .integer(16...1280), default: 320, "Pixels; a narrower picture is not enlarged."),
            ]),
        ]), default: false,
        "Whether `preview` events show what has arrived while it arrives: of jpeg and interlaced png what there is, of what moves the first frame. Of requests that share a download the first one's terms count for all that ask."
    )

    /// Reads validated JSON; nil where none are wanted.
    init?(_ json: JSON?) {
        switch json {
        case .some(.bool(true)): break
        case .some(.object(let object)):
            if let word = object["mode"]?.string, let known = Mode(rawValue: word) { mode = known }
            interval = object["interval"]?.double ?? interval
            width = object["width"]?.int ?? width
        default: return nil
        }
    }

    /// As the queue carries it to the worker: mode, interval in milliseconds, width.
    package var queued: String { "\(mode.rawValue) \(Int((interval * 1000).rounded())) \(width)" }

    /// Reads what `queued` has written.
    package init?(queued text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 3, let mode = Mode(rawValue: String(words[0])), let milliseconds = Int(words[1]), let width = Int(words[2]) else {
            return nil
        }
        self.init(mode: mode, interval: Double(milliseconds) / 1000, width: width)
    }
}
