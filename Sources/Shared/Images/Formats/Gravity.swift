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
    /// One of the nine places, moved inwards from the edges that the place touches, or from the middle to the right and down. An offset below 1 is a part
    /// of the whole width or height, and any other one counts pixels, as in imgproxy's URLs.
    indirect case moved(Gravity, x: Double, y: Double)

    package static let anchors: [Gravity] = [.center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft]

    /// Reads a gravity; nil for any other JSON, and for nothing.
    package init?(_ json: JSON?) {
        if let place = json?["place"] {
            guard let anchor = Self.anchors.first(where: { $0.name == place.string }) else { return nil }
            self = .moved(anchor, x: json?["offsetX"]?.double ?? 0, y: json?["offsetY"]?.double ?? 0).canonical
        } else if let x = json?["x"]?.double, let y = json?["y"]?.double {
            self = .point(x: x, y: y)
        } else {
            guard let name = json?.string, let named = (Self.anchors + [.attention, .entropy]).first(where: { $0.name == name }) else { return nil }
            self = named
        }
    }

    /// The name in the protocol; empty for a point and for a moved place.
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
        case .point, .moved: ""
        }
    }

    package var json: JSON {
        switch self {
        case .point(let x, let y): ["x": JSON(x), "y": JSON(y)]
        case .moved(let anchor, let x, let y): ["place": .string(anchor.name), "offsetX": JSON(x), "offsetY": JSON(y)]
        case .center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft, .attention, .entropy: .string(name)
        }
    }

    /// The same place in its shortest form: whole pixels, and the place alone where no offset is left.
    package var canonical: Gravity {
        guard case .moved(let anchor, let x, let y) = self else { return self }
        func whole(_ offset: Double) -> Double { abs(offset) < 1 ? offset : offset.rounded() }
        return x == 0 && y == 0 ? anchor : .moved(anchor, x: whole(x), y: whole(y))
    }

    /// The part of the spare width on the left, from 0 to 1.
    package var x: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom, .attention, .entropy: 0.5
        case .topRight, .right, .bottomRight: 1
        case .point(let x, _): x
        case .moved(let anchor, _, _): anchor.x
        }
    }

    /// The part of the spare height above, from 0 to 1.
    package var y: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right, .attention, .entropy: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        case .point(_, let y): y
        case .moved(let anchor, _, _): anchor.y
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
    package static let anchor = ParameterType.choice(anchors.map(\.name))

    /// A point.
    package static let fractions = ParameterType.object([
        ParameterDescription("x", .number(0...1), required: true, "The place from the left edge, as a fraction."),
        ParameterDescription("y", .number(0...1), required: true, "The place from the upper edge, as a fraction."),
    ])

    /// One of the nine places with offsets.
    package static let offsets = ParameterType.object([
        ParameterDescription("place", .choice(anchors.map(\.name)), required: true, "The place before the offsets count."),
        ParameterDescription(
            "offsetX", .number(-16384...16384), default: 0,
            "The distance from the left or right edge of the place, or to the right from the middle. Below 1 a part of the whole width, otherwise pixels."),
        ParameterDescription(
            "offsetY", .number(-16384...16384), default: 0,
            "The distance from the upper or lower edge of the place, or down from the middle. Below 1 a part of the whole height, otherwise pixels."),
    ])

    /// One of the nine places, with or without offsets.
    static let anchorWithOffsets = ParameterType.union([anchor, offsets])

    /// One of the nine places, with or without offsets, or a point.
    static let place = ParameterType.union([anchor, fractions, offsets])

    /// The type for operations that cut.
    static let parameter = ParameterType.union([.choice(anchors.map(\.name) + ["attention", "entropy"]), fractions, offsets])
}
