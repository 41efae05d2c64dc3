/// Which part of a picture is kept, or where it stands on its canvas: the nine anchors.
package enum Gravity: String, Sendable, CaseIterable, Hashable {
    case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft

    /// The share of the spare room that stands to the left: 0, ½ or 1.
    package var x: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom: 0.5
        case .topRight, .right, .bottomRight: 1
        }
    }

    /// The share of the spare room that stands above.
    package var y: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        }
    }

    static let parameter = ParameterType.choice(allCases.map(\.rawValue))
}
