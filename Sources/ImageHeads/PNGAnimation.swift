package import TintypeImages

/// The frames of an animated PNG, as its chunks tell of them (PNG, third edition, 11.3.6). Pure; whatever the bytes are, each chunk is looked at once.
///
/// A file that breaks a rule of these chunks is no animation: as in browsers it is the picture that every reader shows.
package struct PNGAnimation: Sendable, Hashable {
    /// What becomes of a frame's place before the next one is drawn.
    package enum Disposal: Int, Sendable, Hashable { case none, background, previous }

    package struct Frame: Sendable, Hashable {
        package let x, y, width, height: Int
        /// Milliseconds.
        package let delay: Int
        package let disposal: Disposal
        /// Whether it is laid over what was there; else it takes its place.
        package let isOver: Bool
        /// Where its data chunks stand, and perhaps others between them.
        package fileprivate(set) var data: Range<Int>
    }

    /// Those that are there whole; none where only their number was asked for.
    package private(set) var frames: [Frame] = []
    package private(set) var count = 0
    /// How often it is played; 0: for ever.
    package private(set) var plays = 0
    /// Whether its first frame is also the picture that readers show who know no animation.
    package private(set) var beginsWithPicture = false
    /// Whether its frames leave parts of the canvas empty.
    package private(set) var showsThrough = false
    /// Whether the file ends before it says so: what is cut off is not counted.
    package private(set) var isCut = false

    /// More are not opened.
    package static let mostFrames = 1 << 16

    /// Whether it has to be drawn frame by frame.
    package var isMoving: Bool { count > 1 || count == 1 && !beginsWithPicture }

    /// - Parameter keepsFrames: whether to remember them; else they are counted.
    /// - Returns: nil for what is no animation, or a broken one.
    package init?(_ reader: ByteReader, keepsFrames: Bool = true) {
        guard reader.has("IHDR", at: 12), let width = reader.big(16, 4), let height = reader.big(20, 4) else { return nil }
        var walk = Walk(reader, width: width, height: height)
        var wasEmptied = false
        guard
            walk.run({ frame, isBefore in
                if count == 0 {
                    beginsWithPicture = isBefore
                    showsThrough = frame.disposal == .previous || (frame.width, frame.height) != (width, height)
                }
                // What the last one leaves is seen by nobody.
                if wasEmptied { showsThrough = true }
                wasEmptied = frame.disposal == .background
                count += 1
                if keepsFrames { frames.append(frame) }
            })
        else { return nil }
        (plays, isCut) = (walk.plays, walk.isCut)
    }
}

/// From chunk to chunk.
private struct Walk {
    let reader: ByteReader
    let width, height: Int
    private(set) var plays = 0
    private(set) var isCut = false
    private var said: Int?
    private var found = 0
    /// The number that the next chunk of an animation has.
    private var sequence = 0
    private var open: PNGAnimation.Frame?
    private var isOpenBefore = false
    private var hasPicture = false

    init(_ reader: ByteReader, width: Int, height: Int) { (self.reader, self.width, self.height) = (reader, width, height) }

    /// - Parameter each: gets each frame that is whole, and whether it stands before the picture.
    /// - Returns: false for what is no animation.
    mutating func run(_ each: (PNGAnimation.Frame, Bool) -> Void) -> Bool {
        var at = 8
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4), length <= reader.count - at - 12 {
            let end = at + 12 + length
            switch kind {
            case 0x6163_544c:
                guard said == nil, !hasPicture, length == 8, let frames = reader.big(at + 8, 4), frames > 0, let plays = reader.big(at + 12, 4) else {
                    return false
                }
                (said, self.plays) = (frames, plays)
            case 0x6663_544c:
                guard said != nil, length == 26, isNext(at + 8), close(each), let frame = frame(at + 12, end) else { return false }
                if found == said || found > PNGAnimation.mostFrames { return true }
                guard hasPicture || frame.x == 0 && frame.y == 0 && (frame.width, frame.height) == (width, height) else { return false }
                (open, isOpenBefore) = (frame, !hasPicture)
            case 0x4944_4154:
                guard said != nil else { return false }
                hasPicture = true
                if isOpenBefore { take(at..<end) }
            case 0x6664_4154:
                guard hasPicture, open != nil, !isOpenBefore, length >= 4, isNext(at + 8) else { return false }
                take(at..<end)
            case 0x4945_4e44: return close(each) && found > 0
            default: break
            }
            at = end
        }
        // Of the frame that it ends in nobody knows whether it is whole.
        isCut = true
        return said != nil && hasPicture
    }

    private mutating func isNext(_ at: Int) -> Bool {
        defer { sequence += 1 }
        return reader.big(at, 4) == sequence
    }

    private mutating func take(_ chunk: Range<Int>) {
        guard let frame = open else { return }
        open?.data = (frame.data.isEmpty ? chunk.lowerBound : frame.data.lowerBound)..<chunk.upperBound
    }

    /// - Returns: false where the frame has no data.
    private mutating func close(_ each: (PNGAnimation.Frame, Bool) -> Void) -> Bool {
        guard let frame = open else { return true }
        guard !frame.data.isEmpty else { return false }
        each(frame, isOpenBefore)
        found += 1
        (open, isOpenBefore) = (nil, false)
        return true
    }

    /// - Parameter at: behind its number.
    private func frame(_ at: Int, _ end: Int) -> PNGAnimation.Frame? {
        guard let wide = reader.big(at, 4), let high = reader.big(at + 4, 4), let x = reader.big(at + 8, 4), let y = reader.big(at + 12, 4),
            let part = reader.big(at + 16, 2), let whole = reader.big(at + 18, 2),
            let disposal = reader.byte(at + 20).flatMap({ PNGAnimation.Disposal(rawValue: $0) }), let blend = reader.byte(at + 21), blend <= 1,
            wide > 0, high > 0, x + wide <= width, y + high <= height
        else { return nil }
        let unit = whole == 0 ? 100 : whole
        return PNGAnimation.Frame(
            x: x, y: y, width: wide, height: high, delay: (part * 1000 + unit / 2) / unit, disposal: disposal, isOver: blend == 1, data: end..<end)
    }
}
