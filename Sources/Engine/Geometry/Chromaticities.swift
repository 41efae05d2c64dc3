/// The light of a screen's red, green and blue, under the white of profiles. Pure.
struct Chromaticities {
    /// Red, green and blue as X, Y and Z. They add up to white.
    let columns: [[Double]]
    /// The rows of the matrix from the screen's white to that of profiles, after Bradford (ICC.1:2022, annex E).
    let adaptation: [[Double]]

    /// The white of profiles.
    static let white = [0.9642, 1, 0.8249]

    /// The colors of ITU-T H.273, table 2, by their code points.
    static let coded: [Int: Chromaticities] = numbers.compactMapValues { Chromaticities($0) }

    private static let numbers: [Int: [Double]] = [
        1: [0.3127, 0.3290, 0.640, 0.330, 0.300, 0.600, 0.150, 0.060], 4: [0.3100, 0.3160, 0.670, 0.330, 0.210, 0.710, 0.140, 0.080],
        5: [0.3127, 0.3290, 0.640, 0.330, 0.290, 0.600, 0.150, 0.060], 6: [0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070],
        7: [0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070], 8: [0.3100, 0.3160, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
        9: [0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046], 10: [1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0],
        11: [0.3140, 0.3510, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060], 12: [0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060],
        22: [0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077],
    ]

    private static let cones = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]

    /// - Parameter numbers: x and y (CIE 1931) of white, red, green and blue, in the order of a PNG's cHRM.
    /// - Returns: nil if no screen has these colors: the white has to lie between the three others.
    init?(_ numbers: [Double]) {
        guard numbers.count == 8, numbers[1] > 0 else { return nil }
        let light: [[Double]] = (0..<4).map { index in
            let (x, y) = (numbers[2 * index], numbers[2 * index + 1])
            return [x, y, 1 - x - y]
        }
        let (white, parts) = (light[0].map { $0 / numbers[1] }, Array(light[1...]))
        guard let mixing = Self.inverse(Self.transposed(parts)), case let shares = Self.product(mixing, white), shares.allSatisfy({ $0 > 0 }),
            let seen = Self.inverse(Self.cones)
        else { return nil }
        let (from, to) = (Self.product(Self.cones, white), Self.product(Self.cones, Self.white))
        guard from.allSatisfy({ $0 > 0 }) else { return nil }
        let change: [[Double]] = (0..<3).map { index in Self.cones[index].map { $0 * to[index] / from[index] } }
        let adaptation: [[Double]] = seen.map { Self.product(Self.transposed(change), $0) }
        self.adaptation = adaptation
        columns = zip(parts, shares).map { part, share -> [Double] in Self.product(adaptation, part.map { $0 * share }) }
        // A profile holds numbers up to 32768.
        guard (columns + adaptation).joined().allSatisfy({ abs($0) < 100 }) else { return nil }
    }

    private static func product(_ rows: [[Double]], _ vector: [Double]) -> [Double] {
        rows.map { row in zip(row, vector).reduce(0.0) { $0 + $1.0 * $1.1 } }
    }
    private static func transposed(_ rows: [[Double]]) -> [[Double]] { (0..<3).map { column in rows.map { $0[column] } } }

    /// - Parameter rows: three rows of three numbers.
    private static func inverse(_ rows: [[Double]]) -> [[Double]]? {
        func cofactor(_ row: Int, _ column: Int) -> Double {
            let (r, s, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
            return rows[r][c] * rows[s][d] - rows[r][d] * rows[s][c]
        }
        let determinant = (0..<3).reduce(0.0) { $0 + rows[0][$1] * cofactor(0, $1) }
        guard abs(determinant) > 1e-9 else { return nil }
        return (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } }
    }
}
