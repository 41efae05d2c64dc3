package import TintypeCore

extension ImageResult {
    /// A source: SourceInfo as others have written it.
    package struct Source: Sendable, Hashable {
        private let json: JSON

        package init(json: JSON) { self.json = json }

        package var url: String? { json["url"]?.string }
        package var bytes: Int? { json["bytes"]?.int }
        /// The name of its format, which may be one that is not known here.
        package var format: String? { json["format"]?.string }
        package var width: Int? { json["width"]?.int }
        package var height: Int? { json["height"]?.int }
        package var frames: Int? { json["frames"]?.int }
        package var hasAlpha: Bool? { json["hasAlpha"]?.bool }
        package var orientation: Int? { json["orientation"]?.int }
        package var sha256: String? { json["sha256"]?.string }
        /// Until when it is fresh, in epoch seconds.
        package var expiresAt: Double? { json["expiresAt"]?.double }
    }
}

extension SourceInfo {
    /// What its decoder has found out of the same bytes before.
    package mutating func takePicture(from told: ImageResult.Source) {
        format = told.format.flatMap { ImageFormat(rawValue: $0) }
        (width, height, frames) = (told.width, told.height, told.frames)
        (hasAlpha, orientation) = (told.hasAlpha, told.orientation)
    }
}
