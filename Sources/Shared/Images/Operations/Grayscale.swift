package import TintypeCore

/// Removes the colors.
package struct Grayscale: ImageOperation {
    package static let description = OperationDescription(
        name: "grayscale", summary: "Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "grayscale"] }
}
