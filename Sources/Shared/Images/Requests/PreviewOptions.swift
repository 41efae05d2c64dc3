import TintypeCore

/// The options of previews: small pictures of the part of a source that has arrived.
package struct PreviewOptions: Sendable, Hashable {
    package enum Mode: String, Sendable, CaseIterable, Hashable {
        /// The picture as it is.
        case plain
        /// A blur that shrinks as more arrives, so that nobody sees blocks and missing rows.
        case blur
    }

    package var mode = Mode.plain
    /// The shortest time between two previews, in seconds.
    package var interval = 0.2
    /// The width in pixels. A narrower source is not enlarged.
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
                    "plain: the picture as it is; blur: a blur that shrinks as more arrives, for progressive JPEG and interlaced PNG."),
                ParameterDescription("interval", .number(0.05...3600), default: 0.2, "The fewest seconds between two previews."),
                ParameterDescription("width", .integer(16...1280), default: 320, "The width in pixels; a narrower picture is not enlarged."),
            ]),
        ]), default: false,
        "Whether `preview` events come, see Previews. `mode`: plain (default), or blur, which "
            + "shrinks as more arrives (not for baseline jpeg). `interval`: at least 0.05 to 3600 seconds between two, default 0.2. `width`: 16 to 1280 pixels, default "
            + "320. A shared download uses the options of its first request."
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

    /// The options as the queue carries them to the worker: mode, interval in milliseconds, width.
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
