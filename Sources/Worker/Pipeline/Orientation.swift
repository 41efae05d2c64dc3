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

    package var swapsSides: Bool { quarters % 2 == 1 }

    package func applied(to size: PictureSize) -> PictureSize { swapsSides ? size.transposed : size }

    /// Where a window of a picture of that size lies afterwards.
    package func applied(to window: PictureWindow, in size: PictureSize) -> PictureWindow {
        var window = window
        var size = size
        if mirrored { window.x = size.width - window.x - window.width }
        for _ in 0..<quarters {
            window = PictureWindow(
                x: size.height - window.y - window.height, y: window.x, width: window.height, height: window.width)
            size = size.transposed
        }
        return window
    }
}
