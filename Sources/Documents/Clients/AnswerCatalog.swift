import TintypeImages

/// The answers of methods that no result of `ResultCatalog` is, with types, for client libraries that have all answers typed.
///
/// The words of each method say the same, and a test compares the names.
enum AnswerCatalog {
    /// The answer of one method.
    enum Answer: Sendable {
        case object(ResultDescription)
        case list(ResultDescription)
        /// Objects by a name, such as a tier.
        case map(ResultDescription)
        /// The answer has one member, and is as good as that.
        case member(ParameterDescription)
    }

    private static func always(_ name: String, _ type: ParameterType, _ summary: String) -> ParameterDescription {
        ParameterDescription(name, type, required: true, summary)
    }

    private static func maybe(_ name: String, _ type: ParameterType, _ summary: String) -> ParameterDescription { ParameterDescription(name, type, summary) }
    private static func texts() -> ParameterType { .array(of: .string(), count: 0 ... .max) }
    private static func many(_ result: ResultDescription) -> ParameterType { .array(of: .object(result.members), count: 0 ... .max) }
    private static func page(_ name: String, of item: ResultDescription, _ summary: String) -> ResultDescription {
        ResultDescription(name, summary, [always("items", many(item), "The entries."), maybe("cursor", .string(), "Where the next page begins.")])
    }

    private static let error = "Why it failed."

    // MARK: Receipts

    private static let receipt = ResultDescription(
        "ReceiptInfo", "The state of a receipt, and its end.",
        [
            always("receipt", .string(), "The receipt's id."), always("state", .string(), "Where the request is."),
            maybe("position", .whole, "The number of fetches ahead."), maybe("durable", .boolean, "Whether a replica of Redis has the request."),
            maybe("progress", .any, "How far the run is, with the members of a progress event."), maybe("attempts", .whole, "The number of runs."),
            maybe("worker", .string(), "The id of the worker."), maybe("result", .object(ResultCatalog.image.members), "The result, after success."),
            maybe("error", .any, error),
        ])

    private static let cancellation = ResultDescription(
        "Cancellation", "Whether something was cancelled.",
        [
            maybe("receipt", .string(), "The receipt's id, in the answer for many."),
            always("cancelled", .boolean, "Whether it was still under way, or cancelled before."), maybe("reason", .string(), "`finished` or `unknown`."),
        ])

    private static let cancellations = ResultDescription(
        "Cancellations", "The answer for one receipt, or for many.",
        [
            maybe("cancelled", .boolean, "Whether the one receipt was still under way, or cancelled before."),
            maybe("reason", .string(), "`finished` or `unknown`."), maybe("results", many(cancellation), "Each of many, in their order."),
        ])

    private static let probe = ResultDescription(
        "ProbeResult", "A source, without a result.",
        [
            always("source", .object(ResultCatalog.source.members), "The source."),
            always("description", .map(of: .any), "The answers to `describe` and `samples`."),
        ])

    /// The answers to `describe` and `samples`, of results too.
    static let traits = ResultDescription(
        "ImageTraits", "The properties of a picture: the answers to `describe` and `samples`. Those that were not asked for are nil.",
        [
            maybe("blurhash", .string(), "A BlurHash."), maybe("thumbhash", .base64, "The bytes of a ThumbHash."),
            maybe("dominantColor", .string(), "The most frequent color."), maybe("averageColor", .string(), "The mean of all pixels."),
            maybe("palette", many(share), "The most frequent colors."), maybe("phash", .string(), "A perceptual hash in hexadecimal."),
            maybe("exif", .map(of: .any), "The EXIF data."), maybe("animation", .object(animation.members), "The frames of an animation."),
            maybe("gainMap", .boolean, "Whether an Ultra HDR picture has a gain map."), maybe("hdr", .string(), "The curve of an HDR picture: pq or hlg."),
            maybe("colors", .any, "The colors at the `samples`, by rendition if there are several."),
        ])

    private static let share = ResultDescription(
        "ColorShare", "A color of a picture.",
        [always("color", .string(), "The color, such as #a0c0ff."), always("share", .real, "Its part of the pixels, 0 to 1.")])
    private static let animation = ResultDescription(
        "AnimationTimes", "The times of an animation.",
        [always("loop", .whole, "How often it runs; 0 for ever."), always("delays", .array(of: .whole, count: 0 ... .max), "The milliseconds of each frame.")])

    // MARK: Groups

    private static let started = ResultDescription(
        "StartedGroup", "A group that was started.",
        [always("group", .string(), "The group's id."), maybe("durable", .boolean, "Whether a replica of Redis has the group.")])

    private static let item = ResultDescription(
        "GroupEntry", "One item of a group, as far as the item has come.",
        [
            always("index", .whole, "Its place among the requests, from 0."), always("state", .string(), "Where the item is."),
            maybe("receipt", .string(), "Its receipt."), maybe("result", .object(ResultCatalog.image.members), "Its result."), maybe("error", .any, error),
        ])

    private static let failure = ResultDescription(
        "FailedItem", "The item whose failure ended a group.",
        [always("index", .whole, "Its place among the requests, from 0."), always("error", .any, error)])

    private static let group = ResultDescription(
        "GroupInfo", "The state of a group, and its results so far.",
        [
            always("group", .string(), "The group's id."), always("kind", .string(), "`prefetch`, `batch` or `chain`."),
            always("state", .string(), "Where the group is."), always("finished", .whole, "The number of items that have ended."),
            always("total", .whole, "The number of items."), maybe("skipped", .whole, "The failed and cancelled items of a prefetch."),
            maybe("origins", .map(of: .whole), "The number of results by their `from`."),
            maybe("results", many(item), "The items."), maybe("failed", .object(failure.members), "The item that ended the group."),
            maybe("reason", .string(), "Why the group was cancelled."), maybe("next", .whole, "The first item that is left out: `from` of the next call."),
        ])

    // MARK: Queues and workers

    private static let letter = ResultDescription(
        "DeadLetterInfo", "A fetch that has failed for good.",
        [
            always("id", .string(), "Its id."), always("url", .string(), "The URL of its source."), always("error", .any, error),
            always("attempts", .whole, "The number of runs."), always("at", .real, "When it failed, in epoch seconds."),
            always("retryable", .boolean, "Whether `dead.retry` can queue it again."),
        ])

    private static let entry = ResultDescription(
        "BlacklistEntry", "A source that is not asked for the time being.",
        [
            always("id", .string(), "Its id."), always("queue", .string(), "The queue's name."), always("url", .string(), "The URL of the source."),
            always("cause", .string(), "The error that put it there."), maybe("status", .whole, "The status of the origin's answer."),
            always("refuses", .string(), "The requests that are refused: `all` of the queue, or only `pictures`."),
            always("since", .real, "Since when, in epoch seconds."), always("until", .real, "Until when, in epoch seconds."),
        ])

    private static let pixels = ResultDescription(
        "PixelProcesses", "The pixel processes of a worker.",
        [
            always("processes", .whole, "How many live."), always("busy", .whole, "How many have work."),
            always("waiting", .whole, "The number of runs that wait for one."),
        ])

    private static let worker = ResultDescription(
        "WorkerInfo", "A worker with a recent heartbeat.",
        [
            always("id", .string(), "Its id."), always("host", .string(), "The name of its machine."), always("slots", .whole, "The most runs at once."),
            always("running", .whole, "The number of runs."), maybe("rssBytes", .whole, "Its memory."),
            maybe("pixels", .object(pixels.members), "Its pixel processes."), maybe("seenSeconds", .real, "The seconds since its last heartbeat."),
            always("state", .string(), "`starting`, `running`, `quiet`, `draining`, `stopped` or `lost`."),
            maybe("missingQueues", texts(), "Queues that it serves and that do not exist."),
        ])

    private static let quiet = ResultDescription(
        "QuietWorker", "Whether a worker claims.",
        [always("worker", .string(), "The worker's id."), always("quiet", .boolean, "Whether it claims nothing new.")])

    // MARK: Caches

    private static let removal = ResultDescription(
        "Removal", "The files that were removed.", [always("removed", .whole, "How many."), always("bytes", .whole, "Their length.")])
    private static let put = ResultDescription(
        "PutResult", "An image that was stored.", [always("key", .string(), "Its key."), always("bytes", .whole, "Its length.")])
    private static let purge = ResultDescription(
        "PurgeResult", "The numbers of what a purge hit.",
        [
            always("results", .whole, "The number of results."), always("sources", .whole, "The number of sources that were removed at once."),
            always("fetches", .whole, "The number of fetches."),
        ])
    private static let tier = ResultDescription(
        "TierInfo", "The size of a tier.",
        [
            always("count", .whole, "The number of entries."), always("bytes", .whole, "Their length."),
            maybe("capacity", .whole, "The most bytes; none without a limit."),
        ])

    // MARK: The service

    private static let operation = ResultDescription(
        "OperationInfo", "An operation that all workers have.",
        [
            always("name", .string(), "Its name."), always("summary", .string(), "Its meaning."),
            always("parameters", .array(of: .any, count: 0 ... .max), "Its parameters."),
        ])

    private static let formats = ResultDescription(
        "FormatsInfo", "The formats, fonts and operations of all workers.",
        [
            always("decode", texts(), "The formats that are read."), always("encode", texts(), "The formats that are written."),
            always("lossless", texts(), "The formats that are written without loss."), always("fonts", texts(), "The fonts for texts."),
            always("operations", many(operation), "The operations."),
        ])

    private static let activity = ResultDescription(
        "ActivityInfo", "Whether something is under way.",
        [
            always("active", .boolean, "Whether an indicator should turn."), always("running", .whole, "The requests of this connection."),
            always("fleet", .whole, "The requests of all coordinators."),
        ])

    private static let redis = ResultDescription(
        "RedisInfo", "The Redis of a coordinator.",
        [
            always("address", .string(), "Its address, without a password."), always("connected", .boolean, "Whether it can be reached."),
            maybe("connectedSeconds", .real, "Since when, in seconds."),
        ])

    private static let system = ResultDescription(
        "SystemInfo", "A coordinator.",
        [
            maybe("version", .string(), "The version of Tintype; only for an admin."),
            maybe("versions", .map(of: .string()), "The versions of its interfaces; only for an admin."),
            always("coordinator", .string(), "The coordinator's id."), always("coordinators", .whole, "The number of coordinators."),
            always("uptime", .real, "The seconds since its start."),
            maybe("rpc", .string(), "The address of the JSON-RPC port; only for an admin."),
            always("http", .string(), "The address of the HTTP port; its host only for an admin."),
            always("limits", .map(of: .any), "The limits by their names."),
            maybe("redis", .object(redis.members), "Its Redis; only for an admin."), always("identity", .map(of: .any), "The rights of the token."),
            always("state", .string(), "`serving` or `draining`."),
        ])

    private static let validity = ResultDescription(
        "Validity", "Whether the records in Redis agree with each other.",
        [always("ok", .boolean, "Whether they do."), always("violations", texts(), "A sentence for each broken invariant, at most 1,000.")])

    // MARK: Lists

    private static let letters = page("DeadLetterPage", of: letter, "Some dead letters, newest first.")
    private static let entries = page("BlacklistPage", of: entry, "Some entries of the blacklist.")

    /// Each after those that it is made of.
    static let results = [
        share, animation, traits, receipt, cancellation, cancellations, probe, started, item, failure, group, letter, letters, entry, entries, pixels, worker,
        quiet, removal, put, purge, tier, operation, formats, activity, redis, system, validity,
    ]

    static let answers: [String: Answer] = [
        "image.submit": .object(receipt), "image.probe": .object(probe), "formats.list": .object(formats), "receipt.get": .object(receipt),
        "receipt.cancel": .object(cancellations), "receipt.pause": .member(always("state", .string(), "Where the request is.")),
        "receipt.resume": .member(always("state", .string(), "Where the request is.")),
        "receipt.setPriority": .member(always("priority", .whole, "The priority of its fetch.")),
        "prefetch.start": .object(started), "batch.start": .object(started), "chain.start": .object(started), "chain.append": .object(started),
        "group.get": .object(group), "group.cancel": .object(cancellation), "dead.list": .object(letters),
        "dead.retry": .member(always("retried", .whole, "How many.")), "dead.remove": .member(always("removed", .whole, "How many.")),
        "workers.list": .list(worker), "workers.quiet": .object(quiet), "cache.contains": .member(always("tiers", texts(), "The tiers that have all of it.")),
        "cache.put": .object(put), "cache.setMetadata": .member(always("changed", .whole, "How many.")), "cache.remove": .object(removal),
        "cache.purge": .object(purge), "cache.pin": .member(always("pinned", .whole, "How many the store has.")),
        "cache.unpin": .member(always("unpinned", .whole, "How many the store has.")), "cache.trim": .object(removal), "cache.clear": .object(removal),
        "cache.stats": .map(tier), "blacklist.list": .object(entries), "blacklist.remove": .member(always("removed", .whole, "How many.")),
        "blacklist.clear": .member(always("removed", .whole, "How many.")),
        "events.subscribe": .member(always("subscription", .string(), "The subscription's id.")),
        "events.unsubscribe": .member(always("removed", .boolean, "Whether there was such a subscription.")), "activity.get": .object(activity),
        "activity.begin": .member(always("activity", .string(), "The id for `activity.end`.")),
        "activity.end": .member(always("ended", .boolean, "Whether there was such work.")), "system.info": .object(system),
        "system.validate": .object(validity), "session.authenticate": .member(always("role", .string(), "The rights of the token.")),
    ]
}
