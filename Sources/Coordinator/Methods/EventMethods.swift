import TintypeCore
import TintypeQueue
import TintypeTransport

/// The methods `events.*`.
@Loop
struct EventMethods {
    let scope: TaskScope
    let events: CoreEvents
    let subscriptions: Subscriptions

    var all: [CoreMethod] {
        [
            CoreMethod("events.subscribe", subscribe),
            // Ends a subscription of this connection.
            CoreMethod("events.unsubscribe") { call, params in
                call.succeed(["removed": .bool(call.session.remove(subscription: params["subscription"]?.string ?? ""))])
            },
        ]
    }

    /// Sends events of others to this connection.
    private func subscribe(_ call: Call, _ params: JSON) throws(TintypeError) {
        let receipts = params["receipts"]?.array?.compactMap(\.string) ?? []
        let queue = params["queue"]?.string
        let workers = params["workers"]?.bool ?? false
        let subjects = events.subjects.keys.sorted().compactMap { name in params[name].flatMap { Self.isAsked($0) ? (name, $0) : nil } }
        guard call.session.canNotify else {
            throw TintypeError(.invalidRequest, .admission, "notifications need a connection of their own: use JSON-RPC over TCP")
        }
        guard !receipts.isEmpty || queue != nil || workers || !subjects.isEmpty else {
            throw .invalidParams(path: "", value: params, expected: "receipts, groups, queue, workers: true or activity: true")
        }
        call.run(in: scope) { () async throws(TintypeError) in
            for (name, value) in subjects { try await events.subjects[name]?.check(value, call.session) }
            let id = try await subscriptions.add(receipts: receipts, queue: queue, watchesWorkers: workers, subjects: subjects, for: call.session)
            return ["subscription": .string(id)]
        }
    }

    private static func isAsked(_ value: JSON) -> Bool { value.bool ?? value.array.map { !$0.isEmpty } ?? !value.isNull }
}
