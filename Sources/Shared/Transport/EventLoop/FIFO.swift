/// A line of elements, first in, first out. A value; adding and taking are cheap however long the line is.
///
/// What was taken leaves a gap at the front, which is closed when it is the larger part: under a load that never lets the line run
/// empty, it does not grow for ever, and each element moves once at most for each that was taken.
package struct FIFO<Element> {
    private var slots: [Element?] = []
    private var head = 0
    /// A gap smaller than this is left.
    private static var slack: Int { 1024 }

    package init() {}

    package var count: Int { slots.count - head }
    package var isEmpty: Bool { head == slots.count }
    /// The gap with the elements, for tests.
    var footprint: Int { slots.count }

    package mutating func append(_ element: Element) { slots.append(element) }

    /// Takes out the one that has waited longest.
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

    /// Takes one out of the middle: linear in the number of those behind it.
    package mutating func remove(at offset: Int) -> Element? { slots.remove(at: head + offset) }

    /// The one that has waited longest.
    package var first: Element? { isEmpty ? nil : slots[head] }

    /// Those that wait, in order.
    package var elements: some Sequence<Element> { slots[head...].lazy.compactMap { $0 } }

    /// The element that so many others are before.
    package subscript(offset: Int) -> Element? {
        get { slots[head + offset] }
        set { slots[head + offset] = newValue }
    }
}

extension FIFO: Sendable where Element: Sendable {}
