/// A field of a record in Redis. The lists of Sources/Shared/queue.md come from these descriptions.
package struct RecordField: Sendable {
    /// The name, or its start with a part in angle brackets behind it.
    package let name: String
    /// The meaning, with the unit of a number.
    package let meaning: String
    /// The meaning of its absence, unless the meaning then does not apply.
    package let absent: String?

    init(_ name: String, _ meaning: String, absent: String? = nil) {
        (self.name, self.meaning, self.absent) = (name, meaning, absent)
    }
}

/// A kind of record: a hash whose fields the scripts name.
package enum RecordKind: String, Sendable, CaseIterable {
    case fetch = "f:"
    case receipt = "r:"
    case callback = "cb:"
    case group = "g:"
    case settings = "cfg"

    package var fields: [RecordField] {
        switch self {
        case .fetch: Self.fetchFields
        case .receipt: Self.receiptFields
        case .callback: Self.callbackFields
        case .group: Self.groupFields
        case .settings: Self.settingsFields
        }
    }

    package func describes(_ field: String) -> Bool {
        let known = Self.known[self]
        return known?.names.contains(field) == true || known?.starts.contains { field.hasPrefix($0) } == true
    }

    /// The names of the fields, and the starts of names with a variable part.
    private static let known: [RecordKind: (names: Set<String>, starts: [String])] = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let names = kind.fields.map(\.name)
            return (kind, (Set(names.filter { !$0.contains("<") }), names.filter { $0.contains("<") }.map { String($0.prefix { $0 != "<" }) }))
        })

    private static let fetchFields = [
        RecordField("state", "`queued`, `delayed` or `running`; after its end `succeeded`, `failed`, `cancelled` or `dead`."),
        RecordField("source", "the digest of the source."),
        RecordField("host", "the host that the fetch waits for or runs at."),
        RecordField("hosts", "the hosts of all its URLs, if it has mirrors; a space between."),
        RecordField("priority", "the priority in force."),
        RecordField("priority:<n>", "the number of receipts with priority n."),
        RecordField("order", "its own order, `fifo` or `lifo`.", absent: "the order of the queue."),
        RecordField("client", "its client, an opaque word, where the queue has several clients."),
        RecordField("maxAttempts", "the allowed attempts.", absent: "3."),
        RecordField("attempts", "the number of runs, without released ones. Less `deaths`, it counts against `maxAttempts`."),
        RecordField("deaths", "the number of runs lost with their worker."),
        RecordField("lostWorker", "the worker of the last of these runs, as in `worker`."),
        RecordField("causes", "the causes of failed runs, as members of a JSON array."),
        RecordField("token", "the fencing token of the run."),
        RecordField("endedToken", "the fencing token of the last run that ended."),
        RecordField("lastToken", "the greatest fencing token given out."),
        RecordField("worker", "the worker that runs it, as a JSON string."),
        RecordField("withdrawn", "the run has to stop: `served` if it has served a receipt before, else `unserved`."),
        RecordField("served", "1 if it has served a receipt."),
        RecordField(
            "settled", "the fencing token of a run whose report has reached some of many receipts, and the digests of the renditions that it brought."),
        RecordField("failing", "1 if some of many receipts have failed with it. A rendition of `n:` may then be wanted by none."),
        RecordField("onlyReceipt", "after its end, the only receipt that it has served."),
        RecordField("yields", "the number of its runs that were asked to give way, and the fencing token of the last of them."),
        RecordField("pausedReceipts", "the number of its paused receipts."),
        RecordField("paused", "1 if all its receipts are paused, so that it waits for none of them."),
        RecordField("retryBase", "the base of the backoff in ms, the greatest of its receipts.", absent: "500."),
        RecordField("retryCeiling", "the ceiling of the backoff in ms, the greatest of its receipts.", absent: "30,000."),
        RecordField("leastRetryBase", "the least base of its receipts in ms, if they differ."),
        RecordField("leastRetryCeiling", "the least ceiling of its receipts in ms, if they differ."),
        RecordField("notBefore", "no run starts before this time, because the origin asked for a pause. Epoch ms."),
        RecordField("queuedAt", "the time when it was made. Epoch ms."),
        RecordField("startedAt", "the start of the run. Epoch ms."),
        RecordField("endedAt", "the end. Epoch ms."),
        RecordField("deadline", "the last deadline of its receipts. Epoch ms."),
        RecordField("firstDeadline", "no deadline is earlier than this; `none` if no receipt is left. Epoch ms.", absent: "`deadline`."),
        RecordField(
            "timeouts", "connect, idle and total timeout in ms, the longest of the receipts that joined before the run.", absent: "as in the fetch JSON."),
        RecordField(
            "resultTime", "how long its results are kept, the longest of its receipts: ms, or `bytes` for the bytes alone.",
            absent: "while the source is fresh."),
        RecordField("progressInterval", "the least ms between two reports of progress.", absent: "no receipt wants progress."),
        RecordField("previews", "how previews are wanted, as `<mode> <ms between> <width>`.", absent: "no receipt wants previews."),
        RecordField("phase", "the last phase of the run.", absent: "`download`."),
        RecordField("progress", "the last progress, as JSON members."),
        RecordField("joins", "`reload` if it was made by a reload, `revalidate` if it was made to revalidate.", absent: "any request may join it."),
        RecordField("forgets", "1 if no receipt wants its source kept."),
        RecordField("overtaken", "1 if `s:` no longer leads to this fetch."),
        RecordField("purged", "the fencing token of the run whose source was purged meanwhile, so that nothing keeps its results."),
        RecordField("tags", "the tags of its results, at most 64; a space between."),
        RecordField("traces", "the `traceparent` of its requests, at most 64; a space between.", absent: "no request named a trace."),
        RecordField("unlisted", "1 if no receipt allows blacklisting after a failure."),
        RecordField("unlists", "1 if a success removes the source from the blacklist."),
        RecordField("bare", "the fetch JSON that a dead letter keeps in place of `n:`.", absent: "all of `n:`."),
        RecordField("failure", "the error of a dead letter, as JSON."),
    ]

    private static let receiptFields = [
        RecordField("fetch", "its fetch; empty if it had none."),
        RecordField("coordinator", "its coordinator, the owner."),
        RecordField("fingerprint", "the fingerprint of its request."),
        RecordField("seq", "the number of its last event."),
        RecordField("queuedAt", "the time when it was made. Epoch ms.", absent: "as its fetch."),
        RecordField("keep", "the ms for which the record stays after the end.", absent: "a day."),
        RecordField("meta", "a fragment of JSON for its events. A trace comes first."),
        RecordField("terms", "how its request wants the end delivered, in words (`ReceiptTerms`).", absent: "the defaults."),
        RecordField("digests", "the digests of its renditions; a space between."),
        RecordField("names", "the names of its renditions as JSON strings, in the same order, one a line.", absent: "one, `default`."),
        RecordField("wanted", "the digests that are still missing.", absent: "`digests`."),
        RecordField("paused", "it is paused. Its wish before that: `progress`, `previews` or `none`."),
        RecordField("info:<digest>", "the RenditionInfo of a finished rendition."),
        RecordField("description", "the description of the picture."),
        RecordField("callback", "the receiver of its callback, until the end: `<host and port> <JSON of URL and secret>`."),
        RecordField("supersedeKey", "its supersede key."),
        RecordField("followers", "other coordinators at which a client waits; a space between."),
        RecordField("left", "1 if no client waits at its coordinator."),
        RecordField("givenUp", "the reason for which it was given up elsewhere, after a handover and until a client takes it up. A JSON string."),
        RecordField("state", "after its end `succeeded`, `failed` or `cancelled`."),
        RecordField("end", "after its end the body of the terminal event."),
        RecordField("at", "the time of its end, in epoch seconds."),
    ]

    private static let callbackFields = [
        RecordField("receiver", "as `callback` of the receipt."),
        RecordField("event", "the terminal event."),
        RecordField("failures", "the number of failed tries."),
        RecordField("token", "the number of its last lease."),
    ]

    private static let groupFields = [
        RecordField("state", "`running`, `succeeded`, `failed` or `cancelled`."),
        RecordField("kind", "`prefetch`, `batch` or `chain`."),
        RecordField("owner", "the client that started the group; empty: an admin.", absent: "an earlier version has started the group."),
        RecordField("strict", "1 if one failure ends the group."),
        RecordField("concurrency", "how many items run at once."),
        RecordField("total", "the number of items."),
        RecordField("seq", "the number of its last event."),
        RecordField("coordinator", "the coordinator that drives the group."),
        RecordField("token", "the fencing token of that coordinator."),
        RecordField("lastCalls", "the ids of the last 16 appends; a space between."),
        RecordField("failedIndex", "the index of the item whose failure has ended the group."),
        RecordField("failures", "the number of failed items."),
        RecordField("from:<place>", "the number of items whose result came from this place."),
        RecordField("outcomeBytes", "the bytes of `gr:`."),
        RecordField("requestBytes", "the bytes of `gq:` while the group runs."),
        RecordField("reason", "the reason of a cancel, as a JSON string."),
        RecordField("at", "the time of its end, in epoch seconds."),
        RecordField("lostDrivers", "the number of drivers lost since an item ended."),
        RecordField("failure", "the error of a group that was given up for that, as JSON."),
    ]

    private static let settingsFields = [
        RecordField("v", "the [schema](#schema) of the keys."),
        RecordField("order", "`fifo` or `lifo`.", absent: "`fifo`."),
        RecordField("maxConcurrent", "the limit of running fetches.", absent: "64; 0 in a shard other than the first."),
        RecordField("maxConcurrentPerHost", "the limit of running fetches of a host.", absent: "6."),
        RecordField("maxQueued", "the limit of waiting fetches.", absent: "`defaultMaxQueued`."),
        RecordField("defaultMaxQueued", "the same limit as the last coordinator to connect was started with.", absent: "100,000."),
        RecordField("publicChannels", "`plain` or `sharded`, as the last coordinator to connect was started with.", absent: "`plain`."),
        RecordField("paused", "1 if the queue is paused."),
        RecordField("made", "1 if the queue exists. `default` exists always."),
        RecordField("lender", "only of a shard: number and name of the coordinator that lends it its `maxConcurrent`."),
        RecordField("mark", "only of a shard: a digest of the settings that it was last given."),
        RecordField("configuredAt", "the time when the queue was last configured. Epoch ms."),
        RecordField("usedAt", "the time when a coordinator or worker last used the queue. Epoch ms."),
        RecordField("hasHostLimits", "1 if `hlim` has an entry."),
        RecordField("hasHostRules", "1 if `hlim0` has an entry."),
        RecordField("purgedAt", "only of `default`: the time of the last purge. Epoch ms."),
        RecordField("throttles", "1 if `held` has an entry."),
        RecordField("deadLetters", "the number of dead letters so far.", absent: "0."),
        RecordField("client", "`*` while there are several clients, otherwise the one client of all fetches."),
        RecordField("firstClient", "the client of fetches that name none, while there are several."),
        RecordField("yieldedAt", "the time when runs were last asked to give way. Epoch ms."),
    ]
}
