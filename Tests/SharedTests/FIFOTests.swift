import TestSupport
import Testing

@testable import TintypeTransport

@Suite(.tags(.threads), .timeLimit(.minutes(1))) struct FIFOTests {
    @Test(arguments: [1, 2, 1023, 1025, 5000]) func `elements come out in order, and a queue that never empties stays short`(length: Int) {
        var line = FIFO<Int>()
        #expect(line.isEmpty)
        for number in 0..<length { line.append(number) }
        var longest = 0
        for number in length..<length + 20_000 {
            line.append(number)
            let first = line.popFirst()
            #expect(first == number - length && line.count == length)
            longest = max(longest, line.footprint)
        }
        #expect(longest <= 2 * length + 1026, "\(longest)")
        let rest = (0..<length).map { _ in line.popFirst() }
        #expect(rest == (20_000..<20_000 + length).map { $0 })
        let last = line.popFirst()
        #expect(last == nil && line.isEmpty && line.footprint == 0)
    }

    @Test func `an element in the middle is changed or removed`() {
        var line = FIFO<Int>()
        for number in 0..<5 { line.append(number) }
        _ = line.popFirst()
        line[1] = 20
        let removed = line.remove(at: 2)
        #expect(line[0] == 1 && removed == 3 && line.count == 3)
        #expect(Array(line.elements) == [1, 20, 4])
        let rest = (0..<4).map { _ in line.popFirst() }
        #expect(rest == [1, 20, 4, nil])
    }

    @Test(arguments: [0, 3, 1030]) func `elements that a condition names are removed, and the others keep their order`(gap: Int) {
        var line = FIFO<Int>()
        for number in 0..<2000 { line.append(number) }
        for _ in 0..<gap { _ = line.popFirst() }
        line.removeAll { $0 % 3 != 0 }
        #expect(Array(line.elements) == (gap..<2000).filter { $0 % 3 == 0 })
        line.append(7)
        let first = line.popFirst()
        #expect(first == (gap + 2) / 3 * 3 && line.count == (gap..<2000).count { $0 % 3 == 0 })
        line.removeAll { _ in true }
        #expect(line.isEmpty && line.first == nil)
    }
}
