package import TintypeImages

/// The screen and the frames of a GIF, by its blocks (GIF89a, 17 to 27). Pure; each block is read once, and nothing is unpacked.
///
/// Where the specification leaves a choice, the file is read as browsers read it.
package struct GIFAnimation: Sendable, Hashable {
    /// The screen. The first frame may enlarge it, and later frames are cut at its edges.
    package private(set) var width, height: Int
    /// The frames; empty if only their number was asked for. The last one may be incomplete.
    package private(set) var frames: [GIFFrame] = []
    package private(set) var count = 0
    /// The number of plays; 0: endless.
    package private(set) var plays = 1
    /// Whether a frame has a transparent color, or a part of the screen is covered by no frame. The background color of the header counts for nothing.
    package private(set) var hasAlpha = false
    /// Whether the file ends within a block, or before the frame of a graphic control. A file that lacks only its trailer is whole.
    package private(set) var isCut = false

    /// - Parameter keepsFrames: whether to keep the frames; otherwise they are only counted.
    /// - Returns: nil if the file ends within its header.
    package init?(_ reader: ByteReader, keepsFrames: Bool = true) {
        guard var walk = GIFWalk(reader) else { return nil }
        (width, height) = (walk.width, walk.height)
        // The part of the screen that is empty before a frame is drawn.
        var empty: (x: Range<Int>, y: Range<Int>)?
        while count <= PNGAnimation.mostFrames, let frame = walk.next() {
            if count == 0 {
                (width, height) = (max(width, frame.x + frame.width), max(height, frame.y + frame.height))
                empty = (0..<width, 0..<height)
            }
            let covered = frame.place(on: width, height)
            let isFilled = empty.map { frame.isWhole && $0.x.clamped(to: covered.x) == $0.x && $0.y.clamped(to: covered.y) == $0.y } ?? true
            if frame.transparent != nil || !isFilled { hasAlpha = true }
            switch frame.disposal {
            case .none: empty = nil
            case .background: empty = covered.x.isEmpty || covered.y.isEmpty ? nil : covered
            case .previous: break
            }
            count += 1
            if keepsFrames { frames.append(frame) }
        }
        (plays, isCut) = (walk.plays, walk.isCut)
    }

    package var header: ImageHeader {
        ImageHeader(
            format: .gif, width: width, height: height, frames: max(1, count), hasAlpha: hasAlpha, orientation: 1, foreignKind: PNGAnimation.kind(of: count))
    }
}

/// One frame of a GIF: its image descriptor, and the graphic control before it.
package struct GIFFrame: Sendable, Hashable {
    package let x, y, width, height: Int
    package let isInterlaced: Bool
    /// Milliseconds.
    package let delay: Int
    package let disposal: FrameDisposal
    /// The color number of pixels that show what is below.
    package let transparent: Int?
    /// The place of the colors, three bytes each.
    package let colors: Range<Int>
    /// The place of the packed pixels: the length of the first codes, then blocks of data.
    package let data: Range<Int>
    /// Whether the end of the data is there.
    package let isWhole: Bool

    /// Returns the columns and rows of a screen of this size that the frame covers.
    package func place(on width: Int, _ height: Int) -> (x: Range<Int>, y: Range<Int>) {
        ((x..<x + self.width).clamped(to: 0..<width), (y..<y + self.height).clamped(to: 0..<height))
    }
}

/// A walk from block to block, which stops at each frame.
package struct GIFWalk {
    private let reader: ByteReader
    /// The screen, as the header says.
    let width, height: Int
    private let colors: Range<Int>
    private(set) var plays = 1
    private(set) var isCut = false
    private var at: Int
    private var control: GraphicControl?

    package init?(_ reader: ByteReader) {
        guard let width = reader.little(6, 2), let height = reader.little(8, 2), let flags = reader.byte(10) else { return nil }
        (self.reader, self.width, self.height) = (reader, width, height)
        colors = Self.colors(flags, 13)
        at = colors.upperBound
    }

    /// Returns the next frame; nil at the end of the file. The last frame may be incomplete, if there is any of its data.
    package mutating func next() -> GIFFrame? {
        while let kind = reader.byte(at) {
            switch kind {
            case 0x21:
                guard let end = behindBlocks(at + 2) else { return cut() }
                readExtension()
                at = end
            case 0x2c: return frame()
            // The trailer. Other bytes than these end the file too (Mozilla, Chromium).
            default: return nil
            }
        }
        isCut = isCut || control != nil
        return nil
    }

    private mutating func cut() -> GIFFrame? {
        (isCut, at) = (true, reader.count)
        return nil
    }

    private mutating func readExtension() {
        switch reader.byte(at + 1) {
        case 0xf9: control = GraphicControl(reader, at + 2) ?? control
        case 0xff:
            guard reader.byte(at + 2) == 11, reader.has("NETSCAPE2.0", at: at + 3) || reader.has("ANIMEXTS1.0", at: at + 3), reader.byte(at + 14) == 3,
                reader.byte(at + 15) == 1, let again = reader.little(at + 16, 2)
            else { return }
            // The number of repetitions after the first play.
            plays = again == 0 ? 0 : again + 1
        default: break
        }
    }

    private mutating func frame() -> GIFFrame? {
        guard let x = reader.little(at + 1, 2), let y = reader.little(at + 3, 2), let width = reader.little(at + 5, 2), let height = reader.little(at + 7, 2),
            let flags = reader.byte(at + 9)
        else { return cut() }
        let own = Self.colors(flags, at + 10)
        let (start, end) = (own.upperBound, behindBlocks(own.upperBound + 1))
        guard end != nil || start + 2 < reader.count else { return cut() }
        let control = control
        (self.control, isCut, at) = (nil, end == nil, end ?? reader.count)
        return GIFFrame(
            x: x, y: y, width: width, height: height, isInterlaced: flags & 0x40 != 0, delay: control?.delay ?? 100, disposal: control?.disposal ?? .none,
            transparent: control?.transparent, colors: own.isEmpty ? colors : own, data: start..<at, isWhole: end != nil)
    }

    /// Returns the place of the color table that flags announce.
    private static func colors(_ flags: Int, _ at: Int) -> Range<Int> { at..<at + (flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0) }

    private func behindBlocks(_ start: Int) -> Int? {
        var at = start
        while let length = reader.byte(at) {
            at += length + 1
            if length == 0 { return at }
        }
        return nil
    }
}

/// The block before a frame (GIF89a, 23).
private struct GraphicControl {
    let disposal: FrameDisposal
    let delay: Int
    let transparent: Int?

    init?(_ reader: ByteReader, _ at: Int) {
        guard let length = reader.byte(at), length >= 4, let flags = reader.byte(at + 1), let hundredths = reader.little(at + 2, 2),
            let index = reader.byte(at + 4)
        else { return nil }
        switch flags >> 2 & 7 {
        case 2: disposal = .background
        // Old programs wrote 4 for 3.
        case 3, 4: disposal = .previous
        default: disposal = .none
        }
        (delay, transparent) = (10 * hundredths, flags & 1 != 0 ? index : nil)
    }
}
