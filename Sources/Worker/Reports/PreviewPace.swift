import ImageHeads
package import TintypeImages

/// When a preview of what is there of a source is due, and how much it is blurred. Pure: no clock, no pictures; one for each download.
package struct PreviewPace: Sendable {
    /// A preview that is due.
    package struct Due: Sendable, Hashable {
        /// How many bytes of the source, from its beginning, it is made of.
        package let bytes: Int
        /// How much of the source it shows, 0…1; nil where nobody knows how long the source is.
        package let fraction: Double?
        /// In pixels of the preview; 0: not at all.
        package let blur: Double
    }

    private enum Kind: Sendable {
        case unknown, baseline(JPEGScans), progressive(JPEGScans), interlaced
        /// An animation, of which the first frame is shown, once.
        case moving(ImageFormat)
        /// None is to come any more.
        case hopeless
    }

    private let options: PreviewOptions
    private var kind = Kind.unknown
    /// From how many bytes on the header is looked for again.
    private var nextLook = ImageSniff.length
    private var notBefore: ContinuousClock.Instant?
    /// What the last preview was made of.
    private var shown = (bytes: 0, scans: 0)
    private var count = 0

    /// Beyond this many bytes, and of larger pictures, a preview would cost more than it is worth.
    private static let most = (bytes: 16 << 20, pixels: 25_000_000)
    /// The least that is worth another look.
    private static let step = 2048
    /// Of the time, previews of one source take no more than one part in so many.
    private static let thrift = 5

    package init(_ options: PreviewOptions) { self.options = options }

    /// Looks at what is there.
    /// - Parameters:
    ///   - bytes: the source from its beginning.
    ///   - expected: how long it will be, if known.
    /// - Returns: nil if no preview is due. Else say soon what became of it.
    package mutating func due(_ bytes: UnsafeRawBufferPointer, expected: Int64?, at now: ContinuousClock.Instant) -> Due? {
        if case .hopeless = kind { return nil }
        guard notBefore.map({ $0 <= now }) ?? true, bytes.count >= nextLook else { return nil }
        if case .unknown = kind { recognise(bytes) }
        if bytes.count > Self.most.bytes { kind = .hopeless }
        let expected = expected.flatMap { $0 > 0 ? Double($0) : nil }
        let fraction = expected.map { min(1, Double(bytes.count) / $0) }
        // What is nearly whole is whole in a moment.
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
            // Before the first scan is whole, parts of the picture are not there at all.
            guard scans > shown.scans || scans > 0 && isMuch else { return nil }
        }
        (shown, count) = ((bytes.count, scans), count + 1)
        return Due(bytes: readable, fraction: fraction, blur: options.mode == .blur ? blur(fraction) : 0)
    }

    /// It was made.
    /// - Parameter began: when.
    package mutating func made(_ began: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        notBefore = max(began + .seconds(options.interval), now + (now - began) * (Self.thrift - 1))
        if case .moving = kind { kind = .hopeless }
    }

    /// There was no room for it.
    package mutating func dropped(at now: ContinuousClock.Instant) {
        (shown, count) = ((0, 0), count - 1)
        notBefore = now + .seconds(options.interval)
    }

    /// The source cannot be shown: none of it is due any more.
    package mutating func failed() { kind = .hopeless }

    /// The source comes anew from its beginning.
    package mutating func startOver() {
        (kind, nextLook, shown) = (.unknown, ImageSniff.length, (0, 0))
    }

    private mutating func recognise(_ bytes: UnsafeRawBufferPointer) {
        nextLook = bytes.count * 2
        guard case .image(let format)? = ImageSniff.of(bytes), [.jpeg, .png, .gif, .webp].contains(format) else { return kind = .hopeless }
        // Whether a PNG moves stands somewhere before its pixels.
        guard let header = ImageHeader.read(bytes, as: format), format != .png || header.progressive || header.isComplete else { return }
        nextLook = 0
        if header.foreignKind != nil || header.pixels > Self.most.pixels {
            kind = .hopeless
        } else if header.progressive {
            kind = format == .jpeg ? .progressive(JPEGScans()) : .interlaced
        } else if mayMove(ByteReader(bytes: bytes), format) {
            kind = options.mode == .blur ? .hopeless : .moving(format)
        } else {
            // Blurred, the rows that are missing would run into those that are there.
            kind = format == .jpeg && options.mode != .blur ? .baseline(JPEGScans()) : .hopeless
        }
    }

    private func mayMove(_ reader: ByteReader, _ format: ImageFormat) -> Bool {
        format == .gif || format == .png && PNGHeader.mayMove(reader) || format == .webp && WebPHeader.mayMove(reader)
    }

    /// As YYWebImage has it: from 45 at the beginning to 0.9 at the end; by the number of previews where the end is unknown.
    private func blur(_ fraction: Double?) -> Double {
        fraction.map { 32 * (1 / (3 * $0 + 0.6) - 0.25) } ?? 32 / Double(count)
    }
}
