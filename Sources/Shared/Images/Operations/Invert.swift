package import TintypeCore

/// Turns every colour into its opposite; transparency stays.
package struct Invert: ImageOperation {
    package static let description = OperationDescription(
        name: "invert", summary: "Every colour becomes its opposite, as in a negative; transparency stays.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "invert"] }
}
