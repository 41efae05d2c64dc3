/// A color for the blend modes that use three channels at once: Lum, Sat, SetLum, SetSat and ClipColor of Compositing and Blending Level 1, §10.2. Pure.
package struct Lightness: Sendable, Hashable {
    /// The weights of red, green and blue.
    package static let weights = [0.3, 0.59, 0.11]

    /// Red, green and blue, 0…1.
    package var channels: [Double]

    package init(_ channels: [Double]) { self.channels = channels }

    package var luminosity: Double { zip(channels, Self.weights).reduce(0) { $0 + $1.0 * $1.1 } }
    package var saturation: Double { (channels.max() ?? 0) - (channels.min() ?? 0) }

    /// Returns the color with another lightness. If a channel would leave 0…1, all channels come nearer to gray.
    package func with(luminosity: Double) -> Lightness {
        let change = luminosity - self.luminosity
        let moved = channels.map { $0 + change }
        let (least, most) = (moved.min() ?? 0, moved.max() ?? 0)
        let share = (least < 0 ? luminosity / (luminosity - least) : 1) * (most > 1 ? (1 - luminosity) / (most - luminosity) : 1)
        return Lightness(moved.map { luminosity + ($0 - luminosity) * share })
    }

    /// Returns the color with another saturation, from gray (0) to 1, where one channel is full and one is 0.
    package func with(saturation: Double) -> Lightness {
        let (least, own) = (channels.min() ?? 0, self.saturation)
        return Lightness(channels.map { own > 0 ? ($0 - least) * saturation / own : 0 })
    }
}
