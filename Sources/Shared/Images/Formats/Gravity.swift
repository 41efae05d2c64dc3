package import TintypeCore

/// Which part of a picture is kept, or where it stands on its canvas: an anchor, a point of interest, or what the picture itself says.
package enum Gravity: Sendable, Hashable {
    case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft
    /// Where the eye goes: edges, saturated colours, skin.
    case attention
    /// Where most happens.
    case entropy
    /// A place in fractions of the picture; what is kept is centred on it as far as the edges allow.
    case point(x: Double, y: Double)

    package static let anchors: [Gravity] = [.center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft]

    /// nil for what is no gravity, and for nothing.
    package init?(_ json: JSON?) {
        if let x = json?["x"]?.double, let y = json?["y"]?.double {
            self = .point(x: x, y: y)
        } else {
            guard let name = json?.string, let named = (Self.anchors + [.attention, .entropy]).first(where: { $0.name == name }) else { return nil }
            self = named
        }
    }

    /// As the protocol writes it; of a point, nothing.
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

    /// The share of the spare room that stands to the left.
    package var x: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom, .attention, .entropy: 0.5
        case .topRight, .right, .bottomRight: 1
        case .point(let x, _): x
        }
    }

    /// The share of the spare room that stands above.
    package var y: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right, .attention, .entropy: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        case .point(_, let y): y
        }
    }

    /// A corner by its name where a point means it: what lies inside the picture is the same then.
    var namedCorner: Gravity { [0, 1].contains(x) && [0, 1].contains(y) ? namedPlace : self }

    /// One of the nine places by its name where a point means it. A middle is not the same for what is centred on the point: odd pixels are rounded
    /// the other way.
    var namedPlace: Gravity {
        guard case .point(let x, let y) = self else { return self }
        return Self.anchors.first { $0.x == x && $0.y == y } ?? self
    }

    /// One of the nine places.
    static let anchor = ParameterType.choice(anchors.map(\.name))

    private static let fractions = ParameterType.object([
        ParameterDescription("x", .number(0...1), required: true, "From the left edge, as a fraction."),
        ParameterDescription("y", .number(0...1), required: true, "From the upper edge, as a fraction."),
    ])

    /// One of the nine places, or a point.
    static let place = ParameterType.union([anchor, fractions])

    /// What a thing that cuts takes.
    static let parameter = ParameterType.union([.choice(anchors.map(\.name) + ["attention", "entropy"]), fractions])
}
