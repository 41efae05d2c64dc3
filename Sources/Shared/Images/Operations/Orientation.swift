import TintypeCore

/// One of the eight orientations of a picture: mirrored or not, then turned clockwise by quarters.
///
/// Turning costs a pass over all pixels. The planner therefore collects the requested turns in an `Orientation` and works on the picture as stored. It turns
/// once at the end, when the picture is small.
package struct Orientation: Sendable, Hashable {
    /// Whether left and right are swapped, before turning.
    package var mirrored: Bool
    /// Clockwise quarter turns, 0…3.
    package var quarters: Int

    package init(mirrored: Bool = false, quarters: Int = 0) {
        self.mirrored = mirrored
        self.quarters = ((quarters % 4) + 4) % 4
    }

    package static let upright = Orientation()

    /// The turn that an EXIF number (1…8) requests.
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

    /// Returns this orientation followed by `next`.
    package func then(_ next: Orientation) -> Orientation {
        Orientation(mirrored: mirrored != next.mirrored, quarters: next.quarters + (next.mirrored ? -quarters : quarters))
    }

    /// The orientation that undoes this one.
    package var inverse: Orientation { mirrored ? self : Orientation(quarters: -quarters) }
}

extension Orientation {
    /// The orientation of an operation that only turns or mirrors; nil for any other operation.
    private init?(_ operation: AnyOperation) {
        if let flip = operation.as(Flip.self) {
            self = Orientation.upright.then(flip.horizontal ? .mirror : .upright).then(flip.vertical ? .upsideDown : .upright)
        } else if let rotate = operation.as(Rotate.self) {
            // A canvas that keeps its size cuts and fills, except for half a turn.
            guard let quarters = rotate.quarters, rotate.expands || quarters % 2 == 0 else { return nil }
            self.init(quarters: quarters)
        } else {
            return nil
        }
    }

    /// The canonical operations for this orientation.
    private var operations: [AnyOperation] {
        if self == .upsideDown { return [AnyOperation(Flip(vertical: true))] }
        let turn = quarters == 0 ? [] : [AnyOperation(Rotate(quarters: quarters))]
        return mirrored ? [AnyOperation(Flip(horizontal: true))] + turn : turn
    }

    /// Returns the operations with neighbors that only turn and mirror merged into the fewest equal ones.
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
