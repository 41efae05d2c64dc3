import TintypeCore

/// Turns every colour into its opposite; transparency stays.
package struct Invert: Sendable, Hashable {
    package static let description = OperationDescription(
        name: "invert", summary: "Every colour becomes its opposite, as in a negative; transparency stays.", parameters: [])

    init() {}

    var canonical: JSON { ["op": "invert"] }
}
