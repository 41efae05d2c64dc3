import TintypeCore

/// What can be told of a picture beside its size: a member of `describe`.
package enum PictureTrait: String, Sendable, CaseIterable, Hashable {
    case blurhash, thumbhash, dominantColor, palette, averageColor, phash, exif

    package static let parameter = ParameterDescription(
        "describe", .array(of: .choice(allCases.map(\.rawValue)), count: 0...allCases.count),
        "What is told of the source, upright, of an animation its first frame, in the result's `description`: blurhash, 4 × 3 components or 3 × 4; "
            + "thumbhash, in base64; dominantColor, averageColor; palette, up to six colours with their shares; phash, 64 bits in hexadecimal digits; "
            + "exif, what is known of camera, exposure and time, never the place.")

    /// Reads validated JSON: each once, in the order that keys are made of.
    static func read(_ json: JSON?) -> [PictureTrait] {
        let names = Set(json?.array?.compactMap(\.string) ?? [])
        return allCases.filter { names.contains($0.rawValue) }
    }
}
