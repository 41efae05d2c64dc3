@testable import ImageHeads
@testable import PNG
import TintypeImages

@testable import Engine

/// Animated PNGs that tests build chunk by chunk, and the look of their frames.
struct TestFrames {
    /// One frame: a color of four numbers, its place, and its fields.
    struct Frame: Sendable {
        var color: [UInt8]
        var window: PNGWindow
        var delay = (1, 10)
        var disposal: UInt8 = 0
        var isOver = false
    }

    var width = 4
    var height = 2
    var plays = 0
    var frames: [Frame] = []
    /// The color of the picture for readers without animation, if it is no frame.
    var picture: [UInt8]?
    /// Another number of frames than there are.
    var said: Int?
    /// The number of chunks for the data of one frame.
    var pieces = 1

    static func header(_ width: Int, _ height: Int) -> [UInt8] { PNGChunk.header(width: width, height: height, depth: 8, type: 6) }
    static func announcement(_ frames: Int, plays: Int = 0) -> [UInt8] { PNGChunk.whole("acTL", BigEndian.bytes(frames) + BigEndian.bytes(plays)) }

    static func control(_ number: Int, _ frame: Frame) -> [UInt8] {
        let window = frame.window
        var content = BigEndian.bytes(number)
        for value in [window.width, window.height, window.x, window.y] { content += BigEndian.bytes(value) }
        return PNGChunk.whole(
            "fcTL", content + BigEndian.bytes(frame.delay.0, 2) + BigEndian.bytes(frame.delay.1, 2) + [frame.disposal, frame.isOver ? 1 : 0])
    }

    /// Returns the packed pixels of a flat picture.
    static func packed(_ color: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        let row: [UInt8] = [0] + repeatElement(color, count: width).joined()
        let rows: [UInt8] = Array(repeatElement(row, count: height).joined())
        return Array(PNGChunk.data(rows)[8...].dropLast(4))
    }

    /// The chunks of all frames, with their picture.
    var chunks: [UInt8] {
        var (bytes, number) = ([UInt8](), 0)
        if let picture { bytes += PNGChunk.whole("IDAT", Self.packed(picture, width, height)) }
        for (index, frame) in frames.enumerated() {
            bytes += Self.control(number, frame)
            number += 1
            let data = Self.packed(frame.color, frame.window.width, frame.window.height)
            let length = (data.count + pieces - 1) / pieces
            for start in stride(from: 0, to: data.count, by: length) {
                let part = Array(data[start..<min(data.count, start + length)])
                if index == 0, picture == nil {
                    bytes += PNGChunk.whole("IDAT", part)
                } else {
                    bytes += PNGChunk.whole("fdAT", BigEndian.bytes(number) + part)
                    number += 1
                }
            }
        }
        return bytes
    }

    var bytes: [UInt8] {
        PNGChunk.signature + Self.header(width, height) + Self.announcement(said ?? frames.count, plays: plays) + chunks + PNGChunk.whole("IEND", [])
    }

    /// Returns frames of red, green, blue and so on that fill the canvas.
    static func plain(_ count: Int, width: Int = 4, height: Int = 2) -> TestFrames {
        let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]]
        var file = TestFrames(width: width, height: height)
        file.frames = (0..<count).map { Frame(color: colors[$0 % 4], window: PNGWindow(x: 0, y: 0, width: width, height: height)) }
        return file
    }

    /// Returns the pictures of all frames, as our own reader draws them.
    static func drawn(_ bytes: [UInt8], failOn: Int = 1) throws -> [VipsImage] {
        try VipsRuntime.start()
        return try bytes.withUnsafeBytes { raw in
            guard let animation = PNGAnimation(ByteReader(bytes: raw)) else { return [] }
            let header = try PictureLoader(source: raw, format: .png).header()
            let clock = PictureClock(deadline: .now + .seconds(60))
            let drawing = try DrawnFrames(AnimatedPNG(raw, animation, header, failOn: failOn, clock: clock), failOn: failOn, clock: clock)
            return try (0..<animation.count).map { try drawing.frame($0, 0...1) }
        }
    }
}
