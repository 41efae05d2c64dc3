package import TintypeCore

/// Turns and mirrors as the picture's EXIF orientation says. It is on by default and comes first, wherever it is written.
package struct Autorotate: ImageOperation {
    package var isEnabled: Bool

    package static let description = OperationDescription(
        name: "autorotate",
        summary: "Turns the picture upright as its EXIF orientation says, before all else. On by default; name it only to switch it off.",
        parameters: [
            ParameterDescription(
                "enabled", .boolean, default: true,
                "false leaves the pixels as they are stored; of HEIF and AVIF, which hold no EXIF orientation but a turn of their own, their decoder turns them in any case."
            )
        ], main: "enabled")

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    package init(_ json: JSON, at _: String) { isEnabled = json["enabled"]?.bool ?? true }

    package var canonical: JSON? { isEnabled ? nil : ["op": "autorotate", "enabled": false] }
}
