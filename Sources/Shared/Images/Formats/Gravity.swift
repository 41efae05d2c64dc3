package import TintypeCore

/// The part of a picture to keep, or its place on a canvas: an anchor, a point of interest, or a choice by content.
package enum Gravity: Sendable, Hashable {
    case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft
    /// The part that draws the eye: edges, saturated colors, skin.
    case attention
    /// The part with the most detail.
    case entropy
    /// A place in fractions of the picture. The kept part is centered on it, as far as the edges allow.
    case point(x: Double, y: Double)

    package static let anchors: [Gravity] = [.center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft]

    /// Reads a gravity; nil for any other JSON, and for nothing.
    package init?(_ json: JSON?) {
        if let x = json?["x"]?.double, let y = json?["y"]?.double {
            self = .point(x: x, y: y)
        } else {
            guard let name = json?.string, let named = (Self.anchors + [.attention, .entropy]).first(where: { $0.name == name }) else { return nil }
            self = named
        }
    }

    /// The name in the protocol; empty for a point.
    package var name: String {
        switch self {
        case .center: "center"
        case .top: "top"
        case .topRight: "topRight"
        case .right: "right"
        case .bottomRight: "bottomRight"
        case .bottom: "bottom"
        case .bottomLeft: "bottomLeft"
        case .left: "left"
        case .topLeft: "topLeft"
        case .attention: "attention"
        case .entropy: "entropy"
        case .point: ""
        }
    }

    package var json: JSON {
        if case .point(let x, let y) = self { ["x": JSON(x), "y": JSON(y)] } else { .string(name) }
    }

    /// The part of the spare width on the left, from 0 to 1.
    package var x: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom, .attention, .entropy: 0.5
        case .topRight, .right, .bottomRight: 1
        case .point(let x, _): x
        }
    }

    /// The part of the spare height above, from 0 to 1.
    package var y: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right, .attention, .entropy: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        case .point(_, let y): y
        }
    }

    /// The named corner for a point that means it: the kept part is then the same.
    var namedCorner: Gravity { [0, 1].contains(x) && [0, 1].contains(y) ? namedPlace : self }

    /// The named place for a point that means one of the nine. A middle differs for a part that is centered on the point: odd pixels are rounded
    /// the other way.
    var namedPlace: Gravity {
        guard case .point(let x, let y) = self else { return self }
        return Self.anchors.first { $0.x == x && $0.y == y } ?? self
    }

    /// One of the nine places.
    static let anchor = ParameterType.choice(anchors.map(\.name))

    /// A point.
    static let fractions = ParameterType.object([
        ParameterDescription("x", .number(0...1), required: true, "The place from the left edge, as a fraction."),
        ParameterDescription("y", .number(0...1), required: true, "The place from the upper edge, as a fraction."),
    ])

    /// One of the nine places, or a point.
    static let place = ParameterType.union([anchor, fractions])

    /// The type for operations that cut.
    static let parameter = ParameterType.union([.choice(anchors.map(\.name) + ["attention", "entropy"]), fractions])
}
