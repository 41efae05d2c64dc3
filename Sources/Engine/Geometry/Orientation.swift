import Glibc
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
            window = PictureWindow(x: size.height - window.y - window.height, y: window.x, width: window.height, height: window.width)
            size = size.transposed
        }
        return window
    }
}

/// An angle, and the canvas that a picture needs after a turn by it. Pure.
struct Turn {
    let cosine: Double
    let sine: Double

    init(_ degrees: Double) {
        cosine = cos(degrees * .pi / 180)
        sine = sin(degrees * .pi / 180)
    }

    /// Returns the box around a turned picture, rounded up to whole pixels.
    func box(of size: PictureSize) -> PictureSize {
        let (width, height) = (Double(size.width), Double(size.height))
        func side(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }
        return PictureSize(side(width * abs(cosine) + height * abs(sine)), side(width * abs(sine) + height * abs(cosine)))
    }
}
