package import TintypeCore

/// Waits until replicas have records that other connections have written.
///
/// WAIT concerns the writes of its own connection, and blocks it. So these connections do nothing else, and each wait begins with a write of its own.
/// That write comes after the record in the stream to the replicas, so a replica that has the one has the other. The same connection first asks for the
/// record. So a server that never had the record does not confirm it, as another primary after a switch might.
///
/// Callers share their waits: each server has one WAIT at a time, and all callers that come meanwhile share the next one.
@Loop
package final class ReplicaWaits {
    /// A record that a caller wants replicas to have.
    package struct Record: Sendable {
        let tag: RedisTag
        /// A command that reads the record.
        let question: [RedisArgument]
        /// Whether the reply shows the record.
        let isThere: @Sendable (RedisReply) -> Bool
        /// A write with the same tag. It changes no value that is ever read.
        let mark: [RedisArgument]

        package init(
            of tag: RedisTag, question: [RedisArgument], mark: [RedisArgument], isThere: @escaping @Sendable (RedisReply) -> Bool
        ) {
            for words in [question, mark] { assert(tag.objection(to: words) == nil, tag.objection(to: words) ?? "") }
            (self.tag, self.question, self.mark, self.isThere) = (tag, question, mark, isThere)
        }
    }

    package enum End: String, Sendable, CaseIterable {
        /// The replicas have the record.
        case kept
        /// The replicas have not confirmed the record in time. They may have it.
        case unsure
        /// The primary does not have the record: it is another one, or the record is gone.
        case lost
    }

    @Loop private final class Caller {
        let record: Record
        let limit: ContinuousClock.Instant
        /// Whether the server has answered that it does not have the record. It may be a replica by now.
        var isAbsent = false
        /// nil: ask again.
        let end = OneShot<End?>()

        init(_ record: Record, until limit: ContinuousClock.Instant) { (self.record, self.limit) = (record, limit) }
    }

    private static let pause = Duration.milliseconds(20)

    private let nodes: RedisNodes
    private let replicas: Int
    private let scope = TaskScope()
    /// The callers of the next wait, by client.
    private var next: [ObjectIdentifier: [Caller]] = [:]
    /// The clients with a wait under way.
    private var waiting: Set<ObjectIdentifier> = []
    private var isStarted = false
    private var isStopped = false
    /// The last failure of a command; nil since one has succeeded.
    package private(set) var failure: RedisError?
    /// How often WAIT was sent.
    private(set) var rounds = 0

    /// - Parameters:
    ///   - name: the name in `CLIENT LIST`, without spaces. A connection is opened for the first caller.
    ///   - replicas: how many replicas have to have a record; at least 1.
    package init(_ topology: any RedisTopology, name: String, replicas: Int, logger: Logger, requirement: RedisRequirement? = nil) {
        nodes = RedisNodes(topology, name: name, logger: logger, requirement: requirement)
        self.replicas = replicas
    }

    /// Closes the connections. Waits end as unsure.
    package func stop() {
        isStopped = true
        if isStarted { nodes.stop() }
        scope.cancelAll()
        let left = next.values.flatMap(\.self)
        next = [:]
        for caller in left { caller.end.complete(.success(.unsure)) }
    }

    /// Waits until the replicas have a record, across breaks of the connection and switches of the primary.
    package func wait(for record: Record, until limit: ContinuousClock.Instant) async -> End {
        if !isStarted, !isStopped {
            isStarted = true
            nodes.start()
        }
        let node = nodes.node(for: record.tag)
        while ContinuousClock.now < limit, !isStopped, !Task.isCancelled {
            let client = node.client
            guard client.isConnected else {
                do { try await node.untilConnected(within: limit - .now) } catch { return .unsure }
                continue
            }
            if let end = await join(Caller(record, until: limit), client) { return end }
            guard (try? await Loop.sleep(min(Self.pause, limit - .now))) != nil else { return .unsure }
        }
        return .unsure
    }

    /// Waits with all others for one server.
    /// - Returns: nil if the server has not answered.
    private func join(_ caller: Caller, _ client: RedisClient) async -> End? {
        let id = ObjectIdentifier(client)
        next[id, default: []].append(caller)
        if waiting.insert(id).inserted { scope.run("wait for replicas") { [weak self] in await self?.serve(client) } }
        // The wait under way may last as long as its callers allow. No caller waits longer than its own limit for that.
        do { return try await caller.end.wait(within: max(.zero, caller.limit - .now), orElse: .success(.unsure)) } catch { return .unsure }
    }

    private func serve(_ client: RedisClient) async {
        let id = ObjectIdentifier(client)
        while let callers = next.removeValue(forKey: id)?.filter({ !$0.end.isComplete }), !callers.isEmpty { await ask(client, callers) }
        waiting.remove(id)
    }

    /// Asks for the records of all callers, writes once for each of their tags, and waits for the replicas.
    private func ask(_ client: RedisClient, _ callers: [Caller]) async {
        rounds += 1
        var marks: [RedisTag: Int] = [:]
        var tags: [Int: RedisTag] = [:]
        var commands = callers.map(\.record.question)
        for caller in callers where marks[caller.record.tag] == nil {
            marks[caller.record.tag] = commands.count
            tags[commands.count] = caller.record.tag
            commands.append(caller.record.mark)
        }
        let time = callers.map(\.limit).max().map { $0 - .now } ?? .zero
        let results = await client.commands(commands, thenWaitFor: replicas, within: time) { index, reply in
            if case .error = reply { return }
            if index < callers.count { return callers[index].isAbsent = !callers[index].record.isThere(reply) }
            // A server that has taken the write is a primary. No replica has a record that its primary does not have.
            for caller in callers where caller.isAbsent && caller.record.tag == tags[index] { caller.end.complete(.success(.lost)) }
        }
        failure = nil
        for (caller, answer) in zip(callers, results) {
            let mark = marks[caller.record.tag].map { results[$0] }
            caller.end.complete(.success(end(of: caller, answer, mark, results.last)))
        }
    }

    /// Returns the end that the replies show; nil if the server is to be asked again.
    private func end(
        of caller: Caller, _ answer: Result<RedisReply, RedisError>, _ mark: Result<RedisReply, RedisError>?, _ wait: Result<RedisReply, RedisError>?
    ) -> End? {
        do throws(RedisError) {
            let reply = try answer.get()
            _ = try mark?.get()
            guard caller.record.isThere(reply) else { return .lost }
            // Too few replicas within the time of the caller who waits longest is too few for all.
            return try wait?.get().int ?? 0 >= Int64(replicas) ? .kept : .unsure
        } catch {
            failure = error
            // A repetition does not help against a missing right, or full memory.
            return error.isRetryable ? nil : .unsure
        }
    }
}
