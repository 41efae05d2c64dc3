import Foundation
import TestSupport
import Testing

@testable import Engine

/// The tone map agrees with numbers that were computed from the recommendations by another program.
@Suite(.tags(.optimized)) struct ToneMapTests {
    /// A number of the picture, its luminance in cd/m² (BT.2100), and the light of the screen (BT.2390).
    static let numbers: [(map: ToneMap, code: Double, luminance: Double, shown: Double)] = [
        (.pq, 0, 0, 0), (.pq, 0.1, 0.32457, 0.0015988), (.pq, 0.25, 5.15418, 0.02539), (.pq, 0.4, 32.44792, 0.159842),
        // The knee, 100 cd/m², white, the peak, and brighter light.
        (.pq, 0.495, 87.73055, 0.43217), (.pq, 0.508078, 99.99958, 0.489462), (.pq, 0.58069, 203.00217, 0.783461), (.pq, 0.7, 620.87938, 0.993285),
        (.pq, 0.7518271, 1000, 1), (.pq, 0.9, 3905.64465, 1), (.pq, 1, 10000, 1),
        (.hlg, 0, 0, 0), (.hlg, 0.25, 9.60529, 0.047317), (.hlg, 0.5, 50.6966, 0.249737), (.hlg, 0.75, 203.15215, 0.783722), (.hlg, 0.9, 522.11014, 0.983128),
        (.hlg, 1, 1000, 1),
    ]

    @Test(arguments: numbers.indices) func `The luminance follows the recommendations`(index: Int) {
        let row = Self.numbers[index]
        #expect(abs(row.map.luminance(of: row.code) - row.luminance) <= 1e-4 * max(1, row.luminance))
        #expect(abs(row.map.light(of: row.code) - row.shown) < 1e-4, "\(row.map.light(of: row.code))")
    }

    @Test(arguments: ToneMap.allCases) func `Brighter light is never shown darker, and none leaves the range`(map: ToneMap) {
        let table = map.table(1024)
        #expect(table.count == 1024 && table.first == 0 && table.last == 1)
        #expect(zip(table, table.dropFirst()).allSatisfy { $0 <= $1 } && table.allSatisfy { (0...1).contains($0) })
    }

    @Test func `Only PQ and HLG are mapped`() {
        #expect((0...255).filter { ToneMap(transfer: $0) != nil } == [16, 18])
    }

    /// Converts a color of BT.2020 by the tone map, the matrix of BT.2087 and the curve of sRGB.
    static func shown(_ color: [Double], _ map: ToneMap) -> [Double] {
        let light = color.map { map.light(of: $0 / 255) }
        let rows = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
        return rows.map { row in
            let mixed = min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            return 255 * (mixed <= 0.0031308 ? mixed * 12.92 : 1.055 * pow(mixed, 1 / 2.4) - 0.055)
        }
    }
}
