package import TintypeCore

extension ImageResult {
    /// A SourceInfo, read from JSON.
    package struct Source: Sendable, Hashable {
        private let json: JSON

        package init(json: JSON) { self.json = json }

        package var url: String? { json["url"]?.string }
        package var bytes: Int? { json["bytes"]?.int }
        /// The name of the format, perhaps unknown to this build.
        package var format: String? { json["format"]?.string }
        package var width: Int? { json["width"]?.int }
        package var height: Int? { json["height"]?.int }
        package var frames: Int? { json["frames"]?.int }
        package var hasAlpha: Bool? { json["hasAlpha"]?.bool }
        package var orientation: Int? { json["orientation"]?.int }
        package var sha256: String? { json["sha256"]?.string }
        /// The end of the fresh time, in epoch seconds.
        package var expiresAt: Double? { json["expiresAt"]?.double }
    }
}

extension SourceInfo {
    /// Takes the picture's properties that a decoder has found in the same bytes before.
    package mutating func takePicture(from told: ImageResult.Source) {
        format = told.format.flatMap { ImageFormat(rawValue: $0) }
        (width, height, frames) = (told.width, told.height, told.frames)
        (hasAlpha, orientation) = (told.hasAlpha, told.orientation)
    }
}
