package import TintypeImages

/// The frames of an AVIF that moves, by the tracks in its `moov` box (ISO/IEC 14496-12 and the AV1 Image File Format, §3). Pure; whatever the bytes are,
/// none beyond their end is read, and no table has more entries than frames are opened.
///
/// Files whose frames are turned, cropped or multiplied by their transparency are no animations here. Their still picture is shown.
package struct AVIFSequence: Sendable, Hashable {
    package let width, height: Int
    /// The place of each coded frame; empty if there are too many.
    package let frames: [Range<Int>]
    /// The place of each frame's transparency; nil: the frames are opaque.
    package let masks: [Range<Int>]?
    package let count: Int
    /// Milliseconds of each frame.
    package let delays: [Int]
    /// The number of plays; 0: endless.
    package let plays: Int
    package let colors: CodedColors
    /// The place of the ICC profile.
    package let profile: Range<Int>?
    /// Whether the file ends before its last frame.
    package let isCut: Bool
    /// The bytes in memory for each pixel of a frame: the canvas, a copy of it, and the pictures that later frames may refer to.
    private let bytesPerPixel: Int

    /// Whether the file asks for its frames to be shown, and not for the still picture that may be in it too.
    package static func isAsked(_ reader: ByteReader) -> Bool { reader.has("avis", at: 8) }

    /// - Returns: nil for a still picture, and for a file that has not all boxes, or cannot be shown frame by frame.
    package init?(_ reader: ByteReader) {
        guard Self.isAsked(reader), let movie = reader.box(["moov"]) else { return nil }
        var tracks: [AVIFTrack] = []
        var end = 0
        _ = reader.boxes(0, reader.count, most: HEIFMeta.most) { _, at, stop in if at == movie.at { end = stop } }
        guard end <= reader.count else { return nil }
        _ = reader.boxes(movie.at, end, most: HEIFMeta.most) { kind, at, stop in
            guard kind == ByteReader.code("trak"), stop <= end, tracks.count < Self.mostTracks, let track = AVIFTrack(reader, at..<stop) else { return }
            tracks.append(track)
        }
        guard let color = tracks.first(where: { !$0.isMask }), color.count > 1, !tracks.contains(where: \.isPremultiplied) else { return nil }
        let mask = tracks.first { $0.isMask && $0.owner == color.id }
        guard mask.map({ $0.count == color.count && ($0.width, $0.height) == (color.width, color.height) }) ?? true else { return nil }
        (width, height, count) = (color.width, color.height, color.count)
        (frames, masks, delays, plays, profile) = (color.samples, mask?.samples, color.delays, color.plays, color.profile)
        let first = frames.first.flatMap { AV1Sequence.colors(reader, in: $0) }
        colors = color.colors ?? first ?? CodedColors(primaries: 2, transfer: 2, matrix: 2, isFullRange: false)
        isCut = (frames + (masks ?? [])).contains { $0.upperBound > reader.count }
        // An AV1 decoder keeps eight pictures, the present one, and one that is ready.
        bytesPerPixel = 8 + 10 * (color.bytesPerTwoPixels + (mask?.bytesPerTwoPixels ?? 0)) / 2
    }

    private static let mostTracks = 4

    package var header: ImageHeader {
        ImageHeader(
            format: .avif, width: width, height: height, frames: count, bytesPerPixel: bytesPerPixel, hasAlpha: masks != nil, orientation: 1,
            foreignKind: PNGAnimation.kind(of: count))
    }
}
