import Engine
import ImageHeads
import TintypeImages

/// Decides when a preview of a partial source is due, and how much it is blurred. Pure, without a clock or pictures; one for each download.
struct PreviewPace: Sendable {
    struct Due: Sendable, Hashable {
        /// The number of bytes, from the beginning of the source, for the preview.
        let bytes: Int
        /// The shown part of the source, 0…1; nil if the length of the source is unknown.
        let fraction: Double?
        /// The blur radius in pixels of the preview; 0: no blur.
        let blur: Double
    }

    private enum Kind: Sendable {
        case unknown, baseline(JPEGScans), progressive(JPEGScans), interlaced
        /// An animation, of which the first frame is shown once.
        case moving(ImageFormat)
        /// No more previews are possible.
        case hopeless
    }

    private let options: PreviewOptions
    private var kind = Kind.unknown
    /// The number of bytes from which on the header is looked for again.
    private var nextLook = ImageSniff.length
    private var notBefore: ContinuousClock.Instant?
    /// The bytes and scans of the last preview.
    private var shown = (bytes: 0, scans: 0)
    private var count = 0

    /// The most bytes and pixels. Previews of larger pictures would cost more than they are worth.
    private static let most = (bytes: 16 << 20, pixels: 25_000_000)
    /// The fewest new bytes that are worth another look.
    private static let step = 2048
    /// Previews of one source take at most this part of the time: one part in five.
    private static let thrift = 5

    init(_ options: PreviewOptions) { self.options = options }

    /// Returns the preview that is due now.
    /// - Parameters:
    ///   - bytes: the source from its beginning.
    ///   - expected: the length of the whole source, if known.
    /// - Returns: nil if no preview is due. Otherwise the caller must soon report the outcome.
    mutating func due(_ bytes: UnsafeRawBufferPointer, expected: Int64?, at now: ContinuousClock.Instant) -> Due? {
        if case .hopeless = kind { return nil }
        guard notBefore.map({ $0 <= now }) ?? true, bytes.count >= nextLook else { return nil }
        if case .unknown = kind { recognize(bytes) }
        if bytes.count > Self.most.bytes { kind = .hopeless }
        let expected = expected.flatMap { $0 > 0 ? Double($0) : nil }
        let fraction = expected.map { min(1, Double(bytes.count) / $0) }
        // A nearly complete source will be complete in a moment.
        if let fraction, fraction >= 0.99 { return nil }
        let isMuch = bytes.count - shown.bytes >= max(Self.step, expected.map { Int($0 / 20) } ?? shown.bytes / 4)
        var (scans, readable) = (0, bytes.count)
        switch kind {
        case .unknown, .hopeless: return nil
        case .interlaced: guard isMuch else { return nil }
        case .moving(let format):
            nextLook = bytes.count + max(Self.step, bytes.count / 8)
            guard FirstFrame.end(ByteReader(bytes: bytes), format) != nil else { return nil }
        case .baseline(var walk):
            walk.read(bytes)
            (kind, readable) = (.baseline(walk), walk.readable(of: bytes.count))
            guard walk.hasBegun, isMuch else { return nil }
        case .progressive(var walk):
            walk.read(bytes)
            (kind, readable, scans) = (.progressive(walk), walk.readable(of: bytes.count), walk.complete)
            // Before the first scan is complete, parts of the picture are missing.
            guard scans > shown.scans || scans > 0 && isMuch else { return nil }
        }
        (shown, count) = ((bytes.count, scans), count + 1)
        return Due(bytes: readable, fraction: fraction, blur: options.mode == .blur ? blur(fraction) : 0)
    }

    /// Records that the preview was made.
    /// - Parameter began: when the work on it began.
    mutating func made(_ began: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        notBefore = max(began + .seconds(options.interval), now + (now - began) * (Self.thrift - 1))
        if case .moving = kind { kind = .hopeless }
    }

    /// Records that there was no room for the preview.
    mutating func dropped(at now: ContinuousClock.Instant) {
        (shown, count) = ((0, 0), count - 1)
        notBefore = now + .seconds(options.interval)
    }

    /// Returns the time until the next look at bytes that are there already; nil if no look is worth it.
    func rest(at now: ContinuousClock.Instant) -> Duration? {
        if case .hopeless = kind { return nil }
        return notBefore.map { max(.zero, $0 - now) }
    }

    /// Records that the source cannot be previewed. No more previews are due.
    mutating func failed() { kind = .hopeless }

    /// Records that the source comes again from its beginning.
    mutating func startOver() {
        (kind, nextLook, shown) = (.unknown, ImageSniff.length, (0, 0))
    }

    private mutating func recognize(_ bytes: UnsafeRawBufferPointer) {
        nextLook = bytes.count * 2
        guard case .image(let format)? = ImageSniff.of(bytes), [.jpeg, .png, .gif, .webp].contains(format) else { return kind = .hopeless }
        // Whether a PNG is animated is said somewhere before its pixels.
        guard let header = ImageHeader.read(bytes, as: format), format != .png || header.progressive || header.isComplete else { return }
        nextLook = 0
        if header.foreignKind != nil || header.pixels > Self.most.pixels {
            kind = .hopeless
        } else if header.progressive {
            kind = format == .jpeg ? .progressive(JPEGScans()) : .interlaced
        } else if mayMove(ByteReader(bytes: bytes), format) {
            kind = options.mode == .blur ? .hopeless : .moving(format)
        } else {
            // With a blur, missing rows would run into those that are there.
            kind = format == .jpeg && options.mode != .blur ? .baseline(JPEGScans()) : .hopeless
        }
    }

    private func mayMove(_ reader: ByteReader, _ format: ImageFormat) -> Bool {
        format == .gif || format == .png && PNGHeader.mayMove(reader) || format == .webp && WebPHeader.mayMove(reader)
    }

    /// Returns the blur radius of YYWebImage: from 45 at the beginning to 0.9 at the end. Without a known end it depends on the number of previews.
    private func blur(_ fraction: Double?) -> Double {
        fraction.map { 32 * (1 / (3 * $0 + 0.6) - 0.25) } ?? 32 / Double(count)
    }
}
