/// The use of a JPEG's gain map for a result: `output.gainMap`.
package enum GainMapUse: String, Sendable, CaseIterable, Hashable {
    /// The result is the SDR base picture.
    case drop
    /// The result carries the map, on the same place of the picture.
    case keep
    /// The result is the HDR picture that the map describes.
    case apply
}
