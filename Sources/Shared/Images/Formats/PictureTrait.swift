import TintypeCore

/// A property of a picture beside its size: a member of `describe`.
package enum PictureTrait: String, Sendable, CaseIterable, Hashable {
    case blurhash, thumbhash, dominantColor, palette, averageColor, phash, exif, animation, gainMap, hdr
    /// Colors of the pixels in `samples`; only `samples` requests them.
    case colors

    package static let named = allCases.filter { $0 != .colors }
    package static let parameter = ParameterDescription(
        "describe", .array(of: .choice(named.map(\.rawValue)), count: 0...named.count),
        "The properties of the source in the result's `description`, measured upright and on the first frame. `blurhash` has 4 × 3 or 3 × 4 components, "
            + "`thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`. `exif` has camera, exposure and time, "
            + "never the place. `animation` is null for a still picture, else `{loop, delays}`. `loop` is the number of plays, 0 for endless; `delays` has the "
            + "milliseconds of the first \(maxDelays) frames, as viewers show them. `gainMap` says whether `output.gainMap` finds a map. "
            + "`hdr`: `pq`, `hlg` or null.")

    /// The most frame delays that are reported.
    package static let maxDelays = 512

    /// Reads `describe` and `samples` of validated JSON: each trait once, in the order that keys use.
    static func read(_ json: JSON) -> [PictureTrait] {
        let names = Set(json["describe"]?.array?.compactMap(\.string) ?? [])
        return named.filter { names.contains($0.rawValue) } + (json["samples"].map { !$0.isNull } ?? false ? [.colors] : [])
    }
}
