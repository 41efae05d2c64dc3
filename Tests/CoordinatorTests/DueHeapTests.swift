import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// Items by the time at which they are due.
@Suite(.timeLimit(.minutes(1))) struct DueHeapTests {
    @Loop private final class Item: DueItem {
        var place: Int32 = -1
        let name: Int
        init(_ name: Int) { self.name = name }
    }

    @Test @Loop func `the heap returns the earliest item after any moves and removals`() {
        var generator = Dice(7)
        var heap = DueHeap<Item>()
        let items = (0..<300).map { Item($0) }
        var expected: [Int: Double] = [:]
        for _ in 0..<5000 {
            let item = items.randomElement(using: &generator)!
            if Int.random(in: 0..<3, using: &generator) == 0 {
                heap.remove(item)
                expected[item.name] = nil
            } else {
                let due = Double(Int.random(in: 0..<50, using: &generator))
                heap.place(item, at: due)
                expected[item.name] = due
            }
            #expect(heap.count == expected.count)
            #expect(heap.first?.due == expected.values.min())
            #expect(heap.due(of: item) == expected[item.name])
        }
        var last = -Double.infinity
        while let (due, item) = heap.first {
            #expect(due >= last && expected.removeValue(forKey: item.name) == due)
            last = due
            heap.remove(item)
            #expect(item.place == -1)
        }
        #expect(expected.isEmpty)
    }
}
