import TintypeCore

/// What can be told of a picture beside its size: a member of `describe`.
package enum PictureTrait: String, Sendable, CaseIterable, Hashable {
    case blurhash, thumbhash, dominantColor, palette, averageColor, phash, exif
    /// Colours of the pixels that `samples` names; asked for by that alone.
    case colors

    package static let named = allCases.filter { $0 != .colors }
    package static let parameter = ParameterDescription(
        "describe", .array(of: .choice(named.map(\.rawValue)), count: 0...named.count),
        "What is told of the source, upright, of an animation its first frame, in the result's `description`: blurhash, 4 × 3 components or 3 × 4; "
            + "thumbhash, in base64; dominantColor, averageColor; palette, up to six colours with their shares; phash, 64 bits in hexadecimal digits; "
            + "exif, what is known of camera, exposure and time, never the place.")

    /// Reads `describe` and `samples` of validated JSON: each once, in the order that keys are made of.
    static func read(_ json: JSON) -> [PictureTrait] {
        let names = Set(json["describe"]?.array?.compactMap(\.string) ?? [])
        return named.filter { names.contains($0.rawValue) } + (json["samples"].map { !$0.isNull } ?? false ? [.colors] : [])
    }
}
