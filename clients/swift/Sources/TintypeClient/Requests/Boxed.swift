/// Keeps a large optional value beside its owner, so that copies of the owner stay small.
@propertyWrapper
public struct Boxed<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value never changes: a new value gets a new box.
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    public init(wrappedValue: Value?) {
        box = wrappedValue.map(Box.init)
    }

    public var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }

    public static func == (one: Boxed, other: Boxed) -> Bool {
        one.box === other.box || one.box?.value == other.box?.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(box?.value)
    }
}
