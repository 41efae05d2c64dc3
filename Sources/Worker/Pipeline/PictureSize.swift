/// Width and height in pixels.
package struct PictureSize: Sendable, Hashable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    package var transposed: PictureSize { PictureSize(height, width) }
    package var description: String { "\(width)x\(height)" }
}

/// A rectangle of a picture: x and y from the top left corner.
package struct PictureWindow: Sendable, Hashable, CustomStringConvertible {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var size: PictureSize { PictureSize(width, height) }
    package var description: String { "\(width)x\(height)+\(x)+\(y)" }

    /// The part that lies inside a picture of that size; nil when nothing does.
    package func clamped(to size: PictureSize) -> PictureWindow? {
        let left = max(0, x)
        let top = max(0, y)
        let right = min(size.width, x + width)
        let bottom = min(size.height, y + height)
        guard right > left, bottom > top else { return nil }
        return PictureWindow(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The same place after division by `factor`; nil when an edge would fall between pixels.
    func divided(by factor: Int) -> PictureWindow? {
        guard [x, y, width, height].allSatisfy({ $0 % factor == 0 }) else { return nil }
        return PictureWindow(x: x / factor, y: y / factor, width: width / factor, height: height / factor)
    }
}
