import Glibc
import TintypeImages

/// An animated PNG that is written frame by frame: 8 bits a sample, no palette, no interlacing. A frame that equals the one before makes that one
/// longer. For every other frame only the changed part is written. Pure; for pixel processes.
package struct APNGEncoder {
    private let width, height, channels: Int
    private let plays: Int
    private let effort: Int
    private let front: [UInt8]
    /// The chunks of the written frames.
    private var chunks: [UInt8] = []
    /// The control chunk of the first frame; a file of one frame has none.
    private var firstControl: [UInt8] = []
    private var count = 0
    private var sequence = 0
    private var last: [UInt8] = []
    /// The last frame, which may become longer.
    private var waiting: (window: PNGWindow, delay: Int, data: [UInt8])?

    /// The longest delay in milliseconds: 16 bits of seconds.
    private static let longest = 65535 * 1000

    /// - Parameters:
    ///   - channels: the samples of a pixel: gray, gray with alpha, RGB, RGBA.
    ///   - plays: the number of plays; 0: endless.
    ///   - effort: 0 stored, 1 fastest, 9 smallest.
    ///   - front: the chunks before the pixels.
    package init(width: Int, height: Int, channels: Int, plays: Int, effort: Int, front: [UInt8]) {
        (self.width, self.height, self.channels) = (width, height, channels)
        (self.plays, self.effort, self.front) = (plays, effort, front)
    }

    /// - Parameters:
    ///   - samples: the whole frame, row by row.
    ///   - delay: milliseconds.
    /// - Returns: false for samples of another size, or if no memory is left.
    package mutating func add(_ samples: UnsafeRawBufferPointer, delay: Int) -> Bool {
        guard (1...4).contains(channels), samples.count == width * height * channels, !samples.isEmpty else { return false }
        let changed: PNGWindow? =
            last.isEmpty
            ? PNGWindow(x: 0, y: 0, width: width, height: height)
            : last.withUnsafeBytes { PNGWindow.changed($0, samples, width: width, height: height, pixel: channels) }
        if changed == nil, let shown = waiting?.delay, shown + delay <= Self.longest {
            waiting?.delay = shown + delay
            return true
        }
        let window = changed ?? PNGWindow(x: 0, y: 0, width: 1, height: 1)
        guard let data = packed(window, of: samples) else { return false }
        write()
        waiting = (window, delay, data)
        if changed != nil { last = [UInt8](samples) }
        return true
    }

    private func packed(_ window: PNGWindow, of samples: UnsafeRawBufferPointer) -> [UInt8]? {
        let part = window.cut(from: samples, pitch: width * channels, pixel: channels)
        return part.withUnsafeBytes { part in
            let (rows, level) = PNGFile.rows(part, pitch: window.width * channels, pixel: channels, height: window.height, effort: effort)
            return rows.withBytes(0..<window.height) { bytes in
                var isPacked = true
                let data = [UInt8](unsafeUninitializedCapacity: ZlibStream.room(for: bytes.count)) { buffer, count in
                    let written = ZlibStream.pack(bytes, level: level, into: UnsafeMutableRawBufferPointer(buffer))
                    (count, isPacked) = (written ?? 0, written != nil)
                }
                return isPacked ? data : nil
            }
        }
    }

    /// Writes the waiting frame behind the others.
    private mutating func write() {
        guard let (window, delay, data) = waiting else { return }
        waiting = nil
        let (part, unit) = delay <= 65535 ? (delay, 1000) : (min(delay, Self.longest) / 1000, 1)
        var content = number()
        for value in [window.width, window.height, window.x, window.y] { content += BigEndian.bytes(value) }
        // No disposal and no blending: the next frame keeps this one, and replaces the area that it changes.
        content += BigEndian.bytes(part, 2) + BigEndian.bytes(unit, 2) + [0, 0]
        let control = PNGChunk.whole("fcTL", content)
        if count == 0 {
            firstControl = control
            chunks += PNGChunk.whole("IDAT", data)
        } else {
            chunks += control
            chunks += PNGChunk.whole("fdAT", number() + data)
        }
        count += 1
    }

    private mutating func number() -> [UInt8] {
        defer { sequence += 1 }
        return BigEndian.bytes(sequence)
    }

    /// - Returns: the file, in memory of malloc that the caller frees; nil if no memory is left, or if there are no frames.
    package mutating func finish() -> UnsafeMutableRawBufferPointer? {
        write()
        guard count > 0 else { return nil }
        let header = PNGChunk.header(width: width, height: height, depth: 8, type: [0, 4, 2, 6][channels - 1])
        var head = PNGChunk.signature + header + front
        if count > 1 { head += PNGChunk.whole("acTL", BigEndian.bytes(count) + BigEndian.bytes(plays)) + firstControl }
        let end = PNGChunk.whole("IEND", [])
        guard let memory = malloc(head.count + chunks.count + end.count) else { return nil }
        let file = UnsafeMutableRawBufferPointer(start: memory, count: head.count + chunks.count + end.count)
        file.copyBytes(from: head)
        UnsafeMutableRawBufferPointer(rebasing: file[head.count...]).copyBytes(from: chunks)
        UnsafeMutableRawBufferPointer(rebasing: file[(head.count + chunks.count)...]).copyBytes(from: end)
        return file
    }
}
