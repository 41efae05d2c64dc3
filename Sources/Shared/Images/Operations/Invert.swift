package import TintypeCore

/// Replaces every color by its opposite; transparency stays.
package struct Invert: ImageOperation {
    package static let description = OperationDescription(
        name: "invert", summary: "Replaces every color by its opposite, as in a negative. Transparency stays.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "invert"] }
}
