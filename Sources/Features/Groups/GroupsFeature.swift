import TintypeQueue
package import Coordinator
import TintypeCore
package import TintypeContracts
import TintypeImages
import TintypeTransport

extension Feature {
    /// Prefetches, batches and chains.
    package static func groups(_ core: Core, _ settings: GroupSettings) -> Feature {
        let (registry, scope, logger) = (core.queues.registry, core.process.scope, core.process.logger)
        let watches = GroupWatches(queue: registry.queue("default"), channels: core.queues.channels, scope: scope, logger: logger)
        let tools = GroupDriver.Tools(
            registry: registry, admission: core.admission, receipts: core.receipts.table, cancellation: core.receipts.cancellation, scope: scope, logger: logger
        )
        let groups = Groups(tools, redisMemory: core.queues.memory, most: settings.most)
        core.events.groupEnded = { groups.over($0) }
        core.events.subjects["groups"] = subject(groups, watches)
        let parts = GroupParts(groups: groups, watches: watches, admission: core.admission, durability: core.queues.durability, scope: scope)
        var feature = Feature(MethodCatalog.groups)
        feature.methods = [
            PrefetchStart(parts: parts), BatchStart(parts: parts), ChainStart(parts: parts), ChainAppend(parts: parts),
            GroupGet(scope: scope, groups: groups, watches: watches, results: core.receipts.results), GroupCancel(scope: scope, groups: groups),
        ]
        feature.limits = ["maxGroups": JSON(groups.most)]
        feature.start = {
            watches.start()
            groups.begin()
        }
        feature.handOver = { groups.handOver() }
        feature.stop = { watches.stop() }
        feature.parts = [groups, watches]
        return feature
    }

    private static func subject(_ groups: Groups, _ watches: GroupWatches) -> SubscriptionSubject {
        SubscriptionSubject(
            check: { value, session async throws(TintypeError) in
                for group in names(value) { _ = try await groups.read(group, .state, for: session) }
            },
            begin: { value, id, session in
                // A group that is named twice would be notified twice.
                let watched = Set(names(value)).sorted().map { group in
                    let listener = watches.add(group) { [weak session] event, _ in
                        session?.notify(GroupWatches.notification(event.merging(["subscription": .string(id)])), type: "subscription")
                    }
                    return (group, listener)
                }
                return SubscriptionSubject.Watch(
                    untilConfirmed: { for (group, _) in watched { await watches.untilConfirmed(group) } },
                    end: { for (group, listener) in watched { watches.remove(listener, of: group) } })
            })
    }

    private nonisolated static func names(_ value: JSON) -> [String] { value.array?.compactMap(\.string) ?? [] }
}
