import Glibc

/// A part of a picture: whole pixels, counted from its upper left corner.
package struct PNGWindow: Sendable, Hashable {
    package var x, y, width, height: Int

    package init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

    /// Returns the samples of this part, row by row.
    /// - Parameter pitch: the samples of a whole row.
    func cut(from samples: UnsafeRawBufferPointer, pitch: Int, pixel: Int) -> [UInt8] {
        let row = width * pixel
        return [UInt8](unsafeUninitializedCapacity: row * height) { part, count in
            for line in 0..<height {
                let start = (y + line) * pitch + x * pixel
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(part)[(line * row)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: samples[start..<start + row]))
            }
            count = row * height
        }
    }

    /// Returns the smallest part in which two pictures of one size differ; nil if they are equal.
    static func changed(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, width: Int, height: Int, pixel: Int) -> PNGWindow? {
        let pitch = width * pixel
        guard let before = old.baseAddress, let after = new.baseAddress, old.count == pitch * height, new.count == old.count else { return nil }
        func differs(_ line: Int) -> Bool { memcmp(before + line * pitch, after + line * pitch, pitch) != 0 }
        guard let top = (0..<height).first(where: differs), let bottom = (top..<height).last(where: differs) else { return nil }
        var (left, right) = (pitch, 0)
        for line in top...bottom {
            let row = line * pitch
            var at = 0
            while at < left, old[row + at] == new[row + at] { at += 1 }
            left = min(left, at)
            at = pitch
            while at > right, old[row + at - 1] == new[row + at - 1] { at -= 1 }
            right = max(right, at)
        }
        let (first, end) = (left / pixel, (right + pixel - 1) / pixel)
        return PNGWindow(x: first, y: top, width: end - first, height: bottom - top + 1)
    }
}
