import TintypeCore

/// One of the eight ways a picture can lie: mirrored or not, then turned clockwise by quarters.
///
/// Turning pixels costs a pass over all of them, so the planner carries what was asked for along as one of these, works on
/// the picture as it lies in the file, and turns once at the end, when the picture is small.
package struct Orientation: Sendable, Hashable {
    /// Left and right exchanged, before turning.
    package var mirrored: Bool
    /// Clockwise quarter turns, 0…3.
    package var quarters: Int

    package init(mirrored: Bool = false, quarters: Int = 0) {
        self.mirrored = mirrored
        self.quarters = ((quarters % 4) + 4) % 4
    }

    package static let upright = Orientation()

    /// What EXIF's number (1…8) asks a viewer to do.
    package init(exif: Int) {
        switch exif {
        case 2: self.init(mirrored: true)
        case 3: self.init(quarters: 2)
        case 4: self.init(mirrored: true, quarters: 2)
        case 5: self.init(mirrored: true, quarters: 3)
        case 6: self.init(quarters: 1)
        case 7: self.init(mirrored: true, quarters: 1)
        case 8: self.init(quarters: 3)
        default: self.init()
        }
    }

    package static let mirror = Orientation(mirrored: true)
    package static let upsideDown = Orientation(mirrored: true, quarters: 2)

    /// This, then `next`.
    package func then(_ next: Orientation) -> Orientation {
        Orientation(
            mirrored: mirrored != next.mirrored, quarters: next.quarters + (next.mirrored ? -quarters : quarters))
    }

    /// What undoes it.
    package var inverse: Orientation { mirrored ? self : Orientation(quarters: -quarters) }
}

extension Orientation {
    /// What an operation comes to that does nothing but change how the picture lies; nil for every other.
    private init?(_ operation: AnyOperation) {
        if let flip = operation.as(Flip.self) {
            self = Orientation.upright.then(flip.horizontal ? .mirror : .upright).then(flip.vertical ? .upsideDown : .upright)
        } else if let rotate = operation.as(Rotate.self) {
            // A canvas that keeps its size cuts and fills, but for half a turn.
            guard let quarters = rotate.quarters, rotate.expands || quarters % 2 == 0 else { return nil }
            self.init(quarters: quarters)
        } else {
            return nil
        }
    }

    /// The one way to ask for it.
    private var operations: [AnyOperation] {
        if self == .upsideDown { return [AnyOperation(Flip(vertical: true))] }
        let turn = quarters == 0 ? [] : [AnyOperation(Rotate(quarters: quarters))]
        return mirrored ? [AnyOperation(Flip(horizontal: true))] + turn : turn
    }

    /// The same operations with neighbours that only turn and mirror as the fewest that come to the same.
    static func folded(_ operations: [AnyOperation]) -> [AnyOperation] {
        var folded: [AnyOperation] = []
        var pending = Orientation.upright
        for operation in operations {
            if let next = Orientation(operation) {
                pending = pending.then(next)
            } else {
                folded += pending.operations + [operation]
                pending = .upright
            }
        }
        return folded + pending.operations
    }
}
