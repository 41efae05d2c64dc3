import TintypeImages

extension Orientation {
    package var swapsSides: Bool { quarters % 2 == 1 }

    package func applied(to size: PictureSize) -> PictureSize { swapsSides ? size.transposed : size }

    /// Returns the place of a window after the turn of a picture of this size.
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
