/// A queue of elements, first in, first out. A value; appending and removing are cheap at any length.
///
/// Removed elements leave a gap at the front, which is closed when it is the larger part. So the array does not grow for ever under a load that never
/// empties the queue. Each removal moves at most one element on average.
package struct FIFO<Element> {
    private var slots: [Element?] = []
    private var head = 0
    /// A smaller gap is not closed.
    private static var slack: Int { 1024 }

    package init() {}

    package var count: Int { slots.count - head }
    package var isEmpty: Bool { head == slots.count }
    /// The number of elements plus the gap, for tests.
    var footprint: Int { slots.count }

    package mutating func append(_ element: Element) { slots.append(element) }

    package mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: head < Self.slack)
            head = 0
        } else if head >= Self.slack, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes an element from the middle. The cost is linear in the number of elements behind it.
    package mutating func remove(at offset: Int) -> Element? { offset == 0 ? popFirst() : slots.remove(at: head + offset) }

    /// Removes the elements that `isGone` names. The cost is linear.
    package mutating func removeAll(where isGone: (Element) -> Bool) {
        slots = slots[head...].filter { $0.map { !isGone($0) } ?? false }
        head = 0
    }

    package var first: Element? { isEmpty ? nil : slots[head] }

    /// The elements in order.
    package var elements: some Sequence<Element> { slots[head...].lazy.compactMap { $0 } }

    /// The element after `offset` others.
    package subscript(offset: Int) -> Element? {
        get { slots[head + offset] }
        set { slots[head + offset] = newValue }
    }
}

extension FIFO: Sendable where Element: Sendable {}
