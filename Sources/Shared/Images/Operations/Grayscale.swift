import TintypeCore

/// Takes the colours out.
package struct Grayscale: Sendable, Hashable {
    package static let description = OperationDescription(
        name: "grayscale", summary: "Shades of grey: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.", parameters: [])

    init() {}

    var canonical: JSON { ["op": "grayscale"] }
}
