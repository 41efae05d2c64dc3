/// The numbers that say how a gain map changes its base picture (Adobe, Gain Map 1.0; ISO 21496-1). Each list has one number for red, green and blue.
/// A value; its numbers are finite and within the ranges that such maps use.
package struct GainMapNumbers: Sendable, Hashable {
    /// The gain for the map's numbers 0 and 1, as a logarithm to base 2: stops.
    package let minimum: [Double]
    package let maximum: [Double]
    /// The exponent with which the map was encoded.
    package let gamma: [Double]
    /// The light that is added to the base picture before the gain, and subtracted after it. 1 is the white of the base picture.
    package let offsetSDR: [Double]
    package let offsetHDR: [Double]
    /// The headroom of the display, in stops, from which the map has an effect, and from which it has its whole effect.
    package let capacityMin: Double
    package let capacityMax: Double

    /// The most stops, either way. PQ, which reaches farthest, has not quite six above white.
    private static let mostStops = 32.0
    private static let gammas = 1.0 / 64...64
    private static let offsets = -1.0...16
    /// The offset that counts without another one.
    package static let usualOffset = 1.0 / 64

    /// - Returns: nil if a list has neither one nor three numbers, or if a number is none or outside of its range.
    package init?(
        minimum: [Double], maximum: [Double], gamma: [Double], offsetSDR: [Double], offsetHDR: [Double], capacityMin: Double, capacityMax: Double
    ) {
        func three(_ list: [Double], _ range: ClosedRange<Double>) -> [Double]? {
            guard [1, 3].contains(list.count), list.allSatisfy({ range.contains($0) }) else { return nil }
            return list.count == 3 ? list : Array(repeating: list[0], count: 3)
        }
        let stops = -Self.mostStops...Self.mostStops
        guard let minimum = three(minimum, stops), let maximum = three(maximum, stops), let gamma = three(gamma, Self.gammas),
            let offsetSDR = three(offsetSDR, Self.offsets), let offsetHDR = three(offsetHDR, Self.offsets),
            zip(minimum, maximum).allSatisfy({ $0 <= $1 }), capacityMin >= 0, capacityMax > capacityMin, capacityMax <= Self.mostStops
        else { return nil }
        (self.minimum, self.maximum, self.gamma) = (minimum, maximum, gamma)
        (self.offsetSDR, self.offsetHDR, self.capacityMin, self.capacityMax) = (offsetSDR, offsetHDR, capacityMin, capacityMax)
    }

    /// Whether all colors have the same numbers.
    package var isUniform: Bool { [minimum, maximum, gamma, offsetSDR, offsetHDR].allSatisfy { Set($0).count == 1 } }
}
