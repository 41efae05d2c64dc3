import CEvent

/// Watches a descriptor that another owner has (curl's sockets, a child's socket), and reports when it can be read or written.
///
/// Level-triggered and persistent: `body` is called in each turn of the loop in which the descriptor is ready, until the interest changes. Cancel the
/// watch before closing the descriptor. The watch ends when it is released.
@Loop
package final class DescriptorWatch {
    package struct Interest: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        package static let read = Interest(rawValue: Int16(EV_READ))
        package static let write = Interest(rawValue: Int16(EV_WRITE))
    }

    private let descriptor: Int32
    private var event: OpaquePointer?
    private var body: (@Loop (Interest) -> Void)?
    private var interest: Interest = []

    /// Starts to watch. With an empty `interest` the watch waits for `update`. `body` gets the current readiness.
    package init(_ descriptor: Int32, _ interest: Interest, _ body: @escaping @Loop (Interest) -> Void) {
        self.descriptor = descriptor
        self.body = body
        event = event_new(Loop.eventLoop.base, descriptor, 0, Self.ready, Unmanaged.passUnretained(self).toOpaque())
        update(interest)
    }

    isolated deinit {
        cancel()
    }

    package func update(_ interest: Interest) {
        guard let event, interest != self.interest else { return }
        self.interest = interest
        event_del(event)
        guard !interest.isEmpty else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        event_assign(event, Loop.eventLoop.base, descriptor, interest.rawValue | Int16(EV_PERSIST), Self.ready, context)
        event_add(event, nil)
    }

    package func cancel() {
        guard let event else { return }
        self.event = nil
        body = nil
        event_free(event)
    }

    private static let ready: event_callback_fn = { _, what, context in
        Loop.callback(context, DescriptorWatch.self) { watch in
            let body = watch.body
            body?(Interest(rawValue: what).intersection([.read, .write]))
        }
    }
}
