import Console
import TintypeCore
import TintypeTransport

/// The connection of `tintype top`: asks for what is shown, and connects again after a break. Lives on the loop.
///
/// It asks for the queues, the workers and the statistics in each round, and beside them only for what the shown tab needs. The ends of receipts are
/// sent to it only while the tab with the events is shown: a busy service has thousands a second.
@Loop
final class TopFeed {
    /// Hears each event.
    var onEvent: (@Loop (JSON) -> Void)?

    private let arguments: Arguments
    private var client: RPCClient?
    /// The subscriptions to queues, by their names.
    private var subscriptions: [String: JSON] = [:]
    private var rounds = 0
    /// The rounds since the last point.
    private var roundsWithoutPoint = 0

    /// The most dead letters of all queues together.
    private nonisolated static let mostLetters = 500
    /// The most queues whose dead letters and events are asked for.
    private nonisolated static let mostQueues = 20
    /// After so many rounds without a point, the clock of the coordinator has gone back.
    private nonisolated static let longSilence = 5
    /// Every so many rounds the coordinator is asked for its own state.
    private nonisolated static let infoRounds = 5

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// The coordinator's address; nil without a connection.
    var address: SocketAddress? { client?.service.address }

    /// Forgets a broken connection. The next round makes another one.
    func drop() {
        client?.close()
        client = nil
        subscriptions = [:]
    }

    /// Asks for everything that a tab shows, after it has connected.
    /// - Parameters:
    ///   - tabs: the tabs whose content is wanted.
    ///   - last: the time of the latest point that is known.
    /// - Throws: `ClientFailure` and `UsageError`, as all commands.
    func read(_ tabs: Set<TopTab>, after last: Int?) async throws -> TopReading {
        let client = try await connected()
        var reading = TopReading()
        if rounds % Self.infoRounds == 0 { reading.info = try await client.call("system.info") }
        rounds += 1
        reading.isWhole = roundsWithoutPoint >= Self.longSilence
        // Points have the time of the coordinator's clock, which may be another than that of this machine. So the first round asks for all points.
        let since = reading.isWhole ? 0 : last ?? 0
        let series = try await client.call("stats.series", ["since": JSON(since)])
        reading.points = series["points"]?.array ?? []
        reading.bounds = (series["bounds"]?.array ?? []).compactMap(\.double)
        roundsWithoutPoint = reading.points.isEmpty ? roundsWithoutPoint + 1 : 0
        for tab in TopTab.allCases {
            switch tab.source {
            case .always(let method): reading.lists[tab] = TopList(items: try await client.call(method).array ?? [])
            case .list(let method, let most) where tabs.contains(tab): reading.lists[tab] = try await list(method, most, client)
            case .dead where tabs.contains(tab): reading.lists[tab] = try await dead(reading.lists[.queues]?.items ?? [], client)
            case .events:
                let queues = tabs.contains(tab) ? reading.lists[.queues]?.items.prefix(Self.mostQueues) : nil
                try await subscribe((queues ?? []).compactMap { $0["name"]?.string }, client)
            case .list, .dead: break
            }
        }
        return reading
    }

    func call(_ method: String, _ params: JSON) async throws -> JSON { try await connected().call(method, params) }

    private func connected() async throws -> RPCClient {
        if let client { return client }
        let client = try await RPCClient.connect(arguments)
        client.onNotification = { [weak self] method, params in self?.heard(method, params) }
        self.client = client
        rounds = 0
        _ = try await client.call("events.subscribe", ["workers": true])
        return client
    }

    /// One row more than is shown tells whether there are others.
    private func list(_ method: String, _ most: Int, _ client: RPCClient) async throws(ClientFailure) -> TopList {
        let items = try await client.call(method, ["limit": JSON(most + 1)])["items"]?.array ?? []
        return TopList(items: Array(items.prefix(most)), isCut: items.count > most)
    }

    private func dead(_ queues: [JSON], _ client: RPCClient) async throws(ClientFailure) -> TopList {
        let all = queues.filter { $0["dead"]?.int ?? 0 > 0 }
        let asked = all.prefix(Self.mostQueues)
        var letters = TopList(isCut: asked.count < all.count)
        for queue in asked {
            let name = queue["name"] ?? .null
            let answer = try await client.call("dead.list", ["queue": name, "limit": JSON(Self.mostLetters / asked.count)])
            letters.items += (answer["items"]?.array ?? []).map { letter in .object((letter.object ?? [:]).merging(["queue": name])) }
            if answer["cursor"]?.string != nil { letters.isCut = true }
        }
        return letters
    }

    /// Makes the subscriptions those to these queues.
    private func subscribe(_ queues: [String], _ client: RPCClient) async throws(ClientFailure) {
        for (queue, subscription) in subscriptions where !queues.contains(queue) {
            subscriptions[queue] = nil
            _ = try await client.call("events.unsubscribe", ["subscription": subscription])
        }
        for queue in queues where subscriptions[queue] == nil {
            subscriptions[queue] = try await client.call("events.subscribe", ["queue": .string(queue)])["subscription"] ?? .null
        }
    }

    private func heard(_ method: String, _ params: JSON) {
        switch method {
        case "image.event": onEvent?(params)
        case "workers.changed":
            onEvent?(.object((params.object ?? [:]).merging(["type": "worker", "at": JSON(WallClock.now)])))
        default: break
        }
    }
}
