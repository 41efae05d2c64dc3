/// The filters of PNG rows, which make rows pack better, and their reversal (PNG specification, third edition, section 9). Pure; the
/// caller is responsible for the pointers.
package struct PNGFilter {
    /// The bytes from a sample to the same one of the pixel to its left, at least 1.
    package let pixel: Int
    /// The bytes of a row, without the number of its filter.
    package let count: Int

    package init(pixel: Int, count: Int) { (self.pixel, self.count) = (pixel, count) }

    /// The filter numbers before rows.
    package static let none = UInt8(0), left = UInt8(1), above = UInt8(2), average = UInt8(3), paeth = UInt8(4)

    /// - Parameters:
    ///   - raw: a filtered row.
    ///   - above: the unfiltered row before; zeros before the first.
    ///   - row: receives the unfiltered row; apart from the two others.
    /// - Returns: false for an unknown filter.
    package func undo(
        _ filter: UInt8, _ raw: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, into row: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        switch filter {
        case Self.none: row.update(from: raw, count: count)
        case Self.left:
            row.update(from: raw, count: min(pixel, count))
            for at in stride(from: pixel, to: count, by: 1) { row[at] = raw[at] &+ row[at &- pixel] }
        case Self.above: for at in 0..<count { row[at] = raw[at] &+ above[at] }
        case Self.average:
            for at in 0..<min(pixel, count) { row[at] = raw[at] &+ above[at] / 2 }
            for at in stride(from: pixel, to: count, by: 1) { row[at] = raw[at] &+ Self.middle(row[at &- pixel], above[at]) }
        case Self.paeth:
            switch pixel {
            case 3: undoPaeth(raw, above, row, step: 3)
            case 4: undoPaeth(raw, above, row, step: 4)
            default:
                for at in 0..<min(pixel, count) { row[at] = raw[at] &+ above[at] }
                for at in stride(from: pixel, to: count, by: 1) {
                    row[at] = raw[at] &+ Self.nearest(row[at &- pixel], above[at], above[at &- pixel])
                }
            }
        default: return false
        }
        return true
    }

    /// Reverses Paeth for all samples of a pixel at once. Each pixel depends on the one to its left, so more cannot be done in parallel.
    @inline(__always)
    private func undoPaeth(_ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, step: Int) {
        var (left, corner) = (SIMD4<Int16>.zero, SIMD4<Int16>.zero)
        var at = 0
        // Four bytes are read and written. With three channels the next pixel corrects the fourth byte, and the last pixel is done alone.
        let whole = count &- 4
        while at <= whole {
            let value = Self.paeth(Self.four(raw + at), &left, &corner, Self.four(above + at))
            UnsafeMutableRawPointer(row + at).storeBytes(of: value, as: SIMD4<UInt8>.self)
            at &+= step
        }
        guard at < count else { return }
        var (last, over) = (SIMD4<UInt8>.zero, SIMD4<UInt8>.zero)
        for index in 0..<(count &- at) { (last[index], over[index]) = (raw[at &+ index], above[at &+ index]) }
        let value = Self.paeth(last, &left, &corner, over)
        for index in 0..<(count &- at) { row[at &+ index] = value[index] }
    }

    @inline(__always)
    private static func paeth(_ raw: SIMD4<UInt8>, _ left: inout SIMD4<Int16>, _ corner: inout SIMD4<Int16>, _ over: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let above = SIMD4<Int16>(truncatingIfNeeded: over)
        let (up, aside) = (above &- corner, left &- corner)
        let (byLeft, byAbove, byCorner) = (distance(up), distance(aside), distance(up &+ aside))
        var guess = left.replacing(with: above, where: byAbove .< byLeft)
        guess.replace(with: corner, where: byCorner .< pointwiseMin(byLeft, byAbove))
        corner = above
        let value = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int16>(truncatingIfNeeded: raw) &+ guess)
        left = SIMD4<Int16>(truncatingIfNeeded: value)
        return value
    }

    @inline(__always)
    private static func distance(_ vector: SIMD4<Int16>) -> SIMD4<Int16> { pointwiseMax(vector, 0 &- vector) }

    @inline(__always)
    private static func four(_ bytes: UnsafePointer<UInt8>) -> SIMD4<UInt8> { UnsafeRawPointer(bytes).loadUnaligned(as: SIMD4<UInt8>.self) }

    /// Filters a row.
    /// - Parameters:
    ///   - row: the unfiltered row.
    ///   - above: the unfiltered row before; zeros before the first.
    ///   - result: receives the filtered row; apart from the two others.
    /// - Returns: the sum of the filtered bytes' distances from zero, as signed numbers. A smaller sum usually packs better.
    func apply(_ filter: UInt8, _ row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, into result: UnsafeMutablePointer<UInt8>) -> Int {
        let head = min(pixel, count)
        switch filter {
        case Self.left:
            result.update(from: row, count: head)
            for at in head..<count { result[at] = row[at] &- row[at &- pixel] }
        case Self.above: for at in 0..<count { result[at] = row[at] &- above[at] }
        case Self.average:
            for at in 0..<head { result[at] = row[at] &- above[at] / 2 }
            for at in head..<count { result[at] = row[at] &- Self.middle(row[at &- pixel], above[at]) }
        case Self.paeth:
            for at in 0..<head { result[at] = row[at] &- above[at] }
            for at in head..<count { result[at] = row[at] &- Self.nearest(row[at &- pixel], above[at], above[at &- pixel]) }
        default: result.update(from: row, count: count)
        }
        var sum = UInt32(0)
        for at in 0..<count { sum &+= UInt32(truncatingIfNeeded: Int8(bitPattern: result[at]).magnitude) }
        return Int(sum)
    }

    @inline(__always)
    private static func middle(_ left: UInt8, _ above: UInt8) -> UInt8 { (left & above) &+ ((left ^ above) >> 1) }

    @inline(__always)
    private static func nearest(_ left: UInt8, _ above: UInt8, _ corner: UInt8) -> UInt8 {
        let (a, b, c) = (Int16(left), Int16(above), Int16(corner))
        let (up, aside) = (b &- c, a &- c)
        let (byLeft, byAbove, byCorner) = (abs(up), abs(aside), abs(up &+ aside))
        let guess = byAbove < byLeft ? b : a
        return UInt8(truncatingIfNeeded: byCorner < min(byLeft, byAbove) ? c : guess)
    }
}
