package import TintypeImages

/// The treatment of a frame's area before the next frame is drawn.
package enum FrameDisposal: Int, Sendable, Hashable { case none, background, previous }

/// The frames of an animated PNG, by its chunks (PNG, third edition, 11.3.6). Pure; each chunk is read once, whatever the bytes are.
///
/// A file that breaks a rule of these chunks is no animation. As in browsers it is then the picture that every reader shows.
package struct PNGAnimation: Sendable, Hashable {
    package struct Frame: Sendable, Hashable {
        package let x, y, width, height: Int
        /// Milliseconds.
        package let delay: Int
        package let disposal: FrameDisposal
        /// Whether the frame is blended over the canvas; otherwise it replaces its area.
        package let isOver: Bool
        /// The place of the frame's data chunks, with perhaps other chunks between them.
        package fileprivate(set) var data: Range<Int>
    }

    /// The complete frames; empty if only their number was asked for.
    package private(set) var frames: [Frame] = []
    package private(set) var count = 0
    /// The number of plays; 0: endless.
    package private(set) var plays = 0
    /// Whether the first frame is also the picture for readers without animation.
    package private(set) var beginsWithPicture = false
    /// Whether the frames leave parts of the canvas empty.
    package private(set) var showsThrough = false
    /// Whether the file ends early. An incomplete frame is not counted.
    package private(set) var isCut = false

    /// The most frames that are opened.
    package static let mostFrames = 1 << 16
    /// Returns the name of a kind of file with more frames; nil for this number of them.
    static func kind(of frames: Int) -> String? { frames > mostFrames ? "an animation of more than \(mostFrames) frames in" : nil }

    /// Whether the picture has to be drawn frame by frame.
    package var isMoving: Bool { count > 1 || count == 1 && !beginsWithPicture }

    /// - Parameter keepsFrames: whether to keep the frames; otherwise they are only counted.
    /// - Returns: nil for a still picture or a broken animation.
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
                // The canvas after the last frame is never shown.
                if wasEmptied { showsThrough = true }
                wasEmptied = frame.disposal == .background
                count += 1
                if keepsFrames { frames.append(frame) }
            })
        else { return nil }
        (plays, isCut) = (walk.plays, walk.isCut)
    }
}

/// A walk from chunk to chunk.
private struct Walk {
    let reader: ByteReader
    let width, height: Int
    private(set) var plays = 0
    private(set) var isCut = false
    private var said: Int?
    private var found = 0
    /// The sequence number of the next animation chunk.
    private var sequence = 0
    private var open: PNGAnimation.Frame?
    private var isOpenBefore = false
    private var hasPicture = false

    init(_ reader: ByteReader, width: Int, height: Int) { (self.reader, self.width, self.height) = (reader, width, height) }

    /// - Parameter each: called with each complete frame, and whether the frame comes before the picture.
    /// - Returns: false if the file is no animation.
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
        // The last frame may be incomplete.
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

    /// - Returns: false if the frame has no data.
    private mutating func close(_ each: (PNGAnimation.Frame, Bool) -> Void) -> Bool {
        guard let frame = open else { return true }
        guard !frame.data.isEmpty else { return false }
        each(frame, isOpenBefore)
        found += 1
        (open, isOpenBefore) = (nil, false)
        return true
    }

    /// - Parameter at: the offset behind the sequence number.
    private func frame(_ at: Int, _ end: Int) -> PNGAnimation.Frame? {
        guard let wide = reader.big(at, 4), let high = reader.big(at + 4, 4), let x = reader.big(at + 8, 4), let y = reader.big(at + 12, 4),
            let part = reader.big(at + 16, 2), let whole = reader.big(at + 18, 2),
            let disposal = reader.byte(at + 20).flatMap({ FrameDisposal(rawValue: $0) }), let blend = reader.byte(at + 21), blend <= 1,
            wide > 0, high > 0, x + wide <= width, y + high <= height
        else { return nil }
        let unit = whole == 0 ? 100 : whole
        return PNGAnimation.Frame(
            x: x, y: y, width: wide, height: high, delay: (part * 1000 + unit / 2) / unit, disposal: disposal, isOver: blend == 1, data: end..<end)
    }
}
