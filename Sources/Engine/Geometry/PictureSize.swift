/// Width and height in pixels.
package struct PictureSize: Sendable, Hashable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    package var transposed: PictureSize { PictureSize(height, width) }

    /// Returns the size of the same shape whose pixels, at four bytes each, fit into this number of bytes; nil if the present size fits. As in SDWebImage
    /// (`scaledSizeWithImageSize:limitBytes:`) both sides are rounded down, and none is less than one.
    package func scaled(toBytes most: Int) -> PictureSize? {
        guard width * height * 4 > most else { return nil }
        let ratio = Double(height) / Double(width)
        let side = (Double(most / 4) / ratio).squareRoot()
        return PictureSize(max(1, Int(side)), max(1, Int(side * ratio)))
    }
    package var description: String { "\(width)x\(height)" }
}

/// A rectangle of a picture, with x and y from the top left corner.
package struct PictureWindow: Sendable, Hashable, CustomStringConvertible {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package var size: PictureSize { PictureSize(width, height) }
    package var description: String { "\(width)x\(height)+\(x)+\(y)" }

    /// Returns the part inside of a picture of this size; nil if there is none.
    package func clamped(to size: PictureSize) -> PictureWindow? {
        let left = max(0, x)
        let top = max(0, y)
        let right = min(size.width, x + width)
        let bottom = min(size.height, y + height)
        guard right > left, bottom > top else { return nil }
        return PictureWindow(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the same place after division by `factor`; nil if an edge would fall between pixels.
    func divided(by factor: Int) -> PictureWindow? {
        guard [x, y, width, height].allSatisfy({ $0 % factor == 0 }) else { return nil }
        return PictureWindow(x: x / factor, y: y / factor, width: width / factor, height: height / factor)
    }
}

extension VipsImage {
    /// The size of all frames together if they lie below each other.
    package var size: PictureSize { PictureSize(width, height) }
}
