package import TintypeCore
package import TintypeTransport
import TintypeImages

/// A method: reads its parameters and answers the call exactly once, now or later.
@Loop
package protocol RPCMethod {
    /// The name in its description.
    nonisolated var name: String { get }
    /// Whether the dispatcher checks the parameters against the description. It is false for methods whose own checks are stricter.
    nonisolated var isCheckedByDescription: Bool { get }
    /// Begins the work: answers the call, arranges a later answer, or throws the error to answer with.
    func begin(_ call: Call, _ params: JSON) throws(TintypeError)
}

extension RPCMethod {
    package nonisolated var isCheckedByDescription: Bool { true }
}

/// The reason why a coordinator does not start: its methods and their descriptions differ.
struct MethodMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    let undescribed: [String]
    let unhandled: [String]
    var description: String { "methods without a description: \(undescribed); descriptions without a method: \(unhandled)" }
}

/// Calls the method of each message and returns the answers. TCP connections and HTTP share it.
///
/// Every request is answered exactly once, a batch as one array, a notification never. Internal failures go to the log, not to the client.
@Loop
final class Dispatcher {
    private struct Entry {
        let method: any RPCMethod
        let description: MethodDescription
    }

    private let entries: [String: Entry]
    private let metrics: Metrics
    private let objective: ObjectiveCounter
    private let access: AccessControl
    private let tracing: RequestTracing
    private var ended: (@Loop (Call, ErrorName?) -> Void) = { _, _ in }
    /// Requests that were taken and are not answered yet.
    private var calls: [ObjectIdentifier: Call] = [:]
    private var isClosed = false
    /// The batches whose members are not all taken yet.
    private var openBatches = 0
    /// The members of a batch that are taken at once. The loop does other work between two such parts.
    private static let part = 16
    /// Called when the last request in flight is answered.
    var onIdle: (@Loop () -> Void)?

    /// - Throws: `MethodMismatch` unless the methods are exactly the described ones.
    init(
        _ methods: [any RPCMethod], catalog: [MethodDescription], access: AccessControl, tracer: (any Tracer)? = nil, metrics: Metrics
    ) throws(MethodMismatch) {
        let described = Dictionary(uniqueKeysWithValues: catalog.map { ($0.name, $0) })
        let names = Set(methods.map(\.name))
        let undescribed = names.subtracting(described.keys).sorted()
        let unhandled = Set(described.keys).subtracting(names).sorted()
        guard undescribed.isEmpty, unhandled.isEmpty else { throw MethodMismatch(undescribed: undescribed, unhandled: unhandled) }
        var entries: [String: Entry] = [:]
        for method in methods {
            if let description = described[method.name] { entries[method.name] = Entry(method: method, description: description) }
        }
        self.entries = entries
        (self.metrics, self.access, tracing) = (metrics, access, RequestTracing(tracer: tracer))
        objective = ObjectiveCounter(.load, metrics)
        ended = { [weak self] call, error in self?.ended(call, error) }
    }

    var inFlight: Int { calls.count + openBatches }

    /// Returns whether the session is authenticated, or no token is required.
    func admits(_ session: Session) -> Bool { access.admits(session) }

    /// Answers all requests in flight, and every later request, with `stopping`.
    func close() {
        isClosed = true
        for call in calls.values { call.giveUp(TintypeError.stopping) }
    }

    /// Takes the content of one message.
    /// - Parameters:
    ///   - sink: Receives the answer once. The answer is empty if there is none to give.
    ///   - taken: Called when all members of a long batch are taken, unless the client has gone.
    /// - Returns: false if that needs further turns of the loop.
    @discardableResult
    func take(_ content: RPCMessage.Content, from session: Session, to sink: any AnswerSink, taken: @escaping @Loop () -> Void = {}) -> Bool {
        switch content {
        case .single(let message):
            take(message, from: session, to: sink)
            return true
        case .batch(let messages):
            let batch = AnswerBatch(expecting: messages.count, from: session, to: sink)
            let rest = take(part: messages[...], from: session, to: batch)
            guard !rest.isEmpty else { return true }
            openBatches += 1
            Loop.execute { self.take(rest, from: session, to: batch, taken) }
            return false
        }
    }

    private func take(_ messages: ArraySlice<RPCMessage>, from session: Session, to batch: AnswerBatch, _ taken: @escaping @Loop () -> Void) {
        let rest = session.isOpen ? take(part: messages, from: session, to: batch) : []
        if !rest.isEmpty { return Loop.execute { self.take(rest, from: session, to: batch, taken) } }
        openBatches -= 1
        if session.isOpen { taken() }
        if calls.isEmpty, openBatches == 0 { onIdle?() }
    }

    private func take(part messages: ArraySlice<RPCMessage>, from session: Session, to batch: AnswerBatch) -> ArraySlice<RPCMessage> {
        for message in messages.prefix(Self.part) { take(message, from: session, to: batch) }
        return messages.dropFirst(Self.part)
    }

    private func take(_ message: RPCMessage, from session: Session, to sink: any AnswerSink) {
        switch message {
        case .invalid(let id, let error):
            metrics.add(.rpcRequests, labels: "", error.name.rawValue)
            sink.answered(RPCAnswer.failure(id: id, error))
        case .request(let id, let method, let params): begin(id, method, params, session, sink)
        case .notification(let method, let params): begin(nil, method, params, session, sink)
        }
    }

    private func begin(_ id: JSON?, _ name: String, _ params: JSON?, _ session: Session, _ sink: any AnswerSink) {
        let entry = entries[name]
        let call = Call(session: session, id: id, method: entry == nil ? "" : name, sink: sink, ended: ended)
        calls[ObjectIdentifier(call)] = call
        session.began(call)
        do throws(TintypeError) {
            let grant = access.grant(session)
            if name != AccessControl.method, grant == nil { throw AccessControl.missing }
            session.grant = grant
            if isClosed { throw TintypeError.stopping }
            guard let entry else { throw Self.unknownMethod(name, among: entries.keys) }
            let params = params ?? .object(JSONObject())
            guard var object = params.object else {
                throw .invalidParams(path: "", value: params, expected: "an object: parameters are given by name")
            }
            let description = entry.description
            try tracing.begin(call, &object)
            try grant?.check(description.role, for: name)
            if !access.clients.isEmpty, description.isCounted { try access.clients.take(grant) }
            if entry.method.isCheckedByDescription { try ParameterDescription.validate(object, description.parameters, at: "") }
            let bound = try grant?.bound(object, of: description, keys: access.keys)
            let whole = JSON.object(bound ?? object)
            // Most calls have no trace, and a closure for each would be felt.
            guard let trace = call.trace else { return try entry.method.begin(call, whole) }
            try TraceContext.within(trace.context) { () throws(TintypeError) in try entry.method.begin(call, whole) }
        } catch {
            call.fail(error)
        }
    }

    /// The method that the objective is about.
    private static let measured = "image.load"

    private static func unknownMethod(_ name: String, among known: some Collection<String>) -> TintypeError {
        let hint = NearestName.of(name, among: known.sorted()).map { "; did you mean \($0)?" } ?? "; rpc.discover lists them"
        return TintypeError(.methodNotFound, .admission, "there is no method \(name.cut(to: 100))\(hint)")
    }

    private func ended(_ call: Call, _ error: ErrorName?) {
        calls[ObjectIdentifier(call)] = nil
        let trace = call.trace
        if let trace { tracing.end(call, trace, error) }
        metrics.add(.rpcRequests, labels: call.method, error?.rawValue ?? "ok")
        let seconds = Seconds.monotonic - call.startedAt
        metrics.observe(.rpcSeconds, seconds, labels: call.method, trace: trace?.context)
        if call.method == Self.measured, let verdict = call.hasLeft ? ObjectiveVerdict(leftAfter: seconds) : ObjectiveVerdict(error, after: seconds) {
            objective.count(verdict)
        }
        if calls.isEmpty, openBatches == 0 { onIdle?() }
    }
}
