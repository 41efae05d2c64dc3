package import TintypeImages

/// The operator's choices for picture URLs. A pure value.
package struct DoorPolicy: Sendable, Hashable {
    package var presets = PicturePresets.none
    /// Whether URLs may name presets only, and beside them `expires` and `cachebuster`.
    package var allowsOnlyPresets = false
    /// The URL of the picture that `watermark` lays over others; nil: none.
    package var watermark: String?
    /// The formats that the `Accept` header of a client may choose, where the URL names none.
    package var detected: Set<ImageFormat> = []
    /// Whether a picture that takes long to make is first shown in a format that is made quickly.
    package var isQuickFirst = false
    /// Whether hints of a client complete a URL without a size or a density.
    package var heedsHints = false

    /// The schemes beside http and https that URLs without a signature may name: `file` and `s3`.
    package var unsignedSources: Set<String> = []

    package init() {}
}
