package import TintypeCore

/// Turns and mirrors the picture by its EXIF orientation. On by default, and always first.
package struct Autorotate: ImageOperation {
    package var isEnabled: Bool

    package static let description = OperationDescription(
        name: "autorotate",
        summary: "Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off.",
        parameters: [
            ParameterDescription(
                "enabled", .boolean, default: true,
                "false: the pixels stay as they are stored. HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it."
            )
        ], main: "enabled")

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    package init(_ json: JSON, at _: String) { isEnabled = json["enabled"]?.bool ?? true }

    package var canonical: JSON? { isEnabled ? nil : ["op": "autorotate", "enabled": false] }
}
