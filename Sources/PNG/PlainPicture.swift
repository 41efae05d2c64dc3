package import TintypeImages

/// A PNG of one color, made without an encoder: one palette entry and one bit a pixel, so that all its rows are zeros. Pure.
package enum PlainPicture {
    package static func png(_ color: Color, width: Int, height: Int) -> [UInt8] {
        var file = PNGChunk.signature + PNGChunk.header(width: width, height: height, depth: 1, type: 3)
        file += PNGChunk.whole("PLTE", [color.red, color.green, color.blue])
        if color.alpha < 255 { file += PNGChunk.whole("tRNS", [color.alpha]) }
        return file + PNGChunk.data([UInt8](repeating: 0, count: (1 + (width + 7) / 8) * height)) + PNGChunk.whole("IEND", [])
    }
}
