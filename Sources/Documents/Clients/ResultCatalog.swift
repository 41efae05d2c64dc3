import TintypeImages

/// The objects that the service answers, with types, for client libraries. `ProtocolText` has them in words, and a test compares the names.
enum ResultCatalog {
    private static func always(_ name: String, _ type: ParameterType, _ summary: String) -> ParameterDescription {
        ParameterDescription(name, type, required: true, summary)
    }

    private static func maybe(_ name: String, _ type: ParameterType, _ summary: String) -> ParameterDescription { ParameterDescription(name, type, summary) }

    private static let texts = ParameterType.array(of: .string(), count: 0 ... .max)

    static let source = ResultDescription(
        "SourceInfo", "A source after its download.",
        [
            always("url", .string(), "The requested URL, without user and password."),
            always("finalURL", .string(), "The URL after redirects, without user and password."),
            always("bytes", .whole, "The length of the body."),
            maybe("status", .whole, "The status of the origin's response."),
            maybe("format", .string(), "The format of the stored picture."),
            maybe("width", .whole, "The width of the stored picture in pixels."),
            maybe("height", .whole, "The height of the stored picture in pixels."),
            maybe("frames", .whole, "The number of frames."),
            maybe("hasAlpha", .boolean, "Whether the picture may be transparent."),
            maybe("scale", .whole, "2 or 3 when the file's name in the URL ends in `@2x` or `@3x`."),
            maybe("orientation", .whole, "The orientation of EXIF, 1 to 8."),
            maybe("etag", .string(), "The ETag of the origin's response."),
            maybe("lastModified", .string(), "The Last-Modified of the origin's response."),
            maybe("expiresAt", .real, "Until when the source is fresh, in epoch seconds."),
            maybe("sha256", .string(), "The hash of the body in hexadecimal."),
        ])

    static let saved = ResultDescription(
        "SavedFile", "The file that a result was saved as.",
        [
            always("place", .string(), "The place of the operator."),
            always("name", .string(), "The name of the file there."),
            maybe("bytes", .whole, "The length of the file."),
            maybe("kept", .boolean, "Whether the file existed and stayed."),
        ])

    static let rendition = ResultDescription(
        "RenditionInfo", "One finished rendition.",
        [
            maybe("name", .string(), "The name of the rendition in the request."),
            always("key", .string(), "The result's key."),
            always("url", .string(), "The path of the HTTP port that serves the result."),
            always("contentType", .string(), "The media type of the result."),
            always("bytes", .whole, "The length of the result."),
            maybe("format", .string(), "The format of the result."),
            maybe("width", .whole, "The width in pixels."),
            maybe("height", .whole, "The height in pixels."),
            maybe("frames", .whole, "The number of frames."),
            maybe("quality", .whole, "The encoder's quality, for lossy formats."),
            maybe("sha256", .string(), "The hash of the result in hexadecimal."),
            maybe("stored", texts, "The tiers that keep the result."),
            maybe("expiresAt", .real, "Until when the result is fresh, in epoch seconds."),
            maybe("storedAt", .real, "When its sources were last downloaded or revalidated, in epoch seconds."),
            maybe("version", .whole, "The `cache.version` of the request, unless 0."),
            maybe("private", .boolean, "True when shared caches must not keep the result."),
            maybe("noStore", .boolean, "True when no cache in front may keep the result."),
            maybe("staleWhileRevalidate", .real, "The most seconds for which caches in front may show the stale result while they ask for a new one."),
            maybe("staleIfError", .real, "The most seconds for which caches in front may show the stale result while the service fails."),
            maybe("validated", .any, "True when a worker checked the bytes as JSON; `text` or `xml` for these."),
            maybe("applied", .boolean, "True for a picture that the service made or a client put."),
            maybe("saved", .object(saved.members), "The file of `saveTo`."),
            maybe("metadata", .map(of: .string()), "The metadata of its request."),
            maybe("data", .base64, "The bytes, with `deliver: inline`."),
        ])

    static let timings = ResultDescription(
        "Timings", "Seconds spent in the steps of a request.",
        [
            maybe("queued", .real, "In the queue."), maybe("dns", .real, "Resolving the name of the host."), maybe("connect", .real, "Connecting."),
            maybe("tls", .real, "In the TLS handshake."), maybe("firstByte", .real, "Until the first byte of the answer."),
            maybe("download", .real, "Downloading."), maybe("decode", .real, "Decoding."), maybe("transform", .real, "In operations."),
            maybe("encode", .real, "Encoding."), maybe("store", .real, "Storing."), maybe("total", .real, "From the request to its end."),
        ])

    static let cause = ResultDescription(
        "Cause", "Why a run failed.",
        [always("name", .string(), "The name of the error."), maybe("status", .whole, "The status of the origin's response.")])

    static let image = ResultDescription(
        "ImageResult", "The result of a request.",
        [
            maybe("receipt", .string(), "The receipt's id; none from `cache.get`."),
            always("from", .string(), "Where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`."),
            maybe("state", .string(), "Always `succeeded`."),
            always("source", .object(source.members), "The source."),
            always("renditions", .array(of: .object(rendition.members), count: 0 ... .max), "The renditions, in the order of the request."),
            maybe("notModified", .boolean, "True when the origin was asked and the source had not changed."),
            maybe("updated", .boolean, "Whether the source had changed, after `cache.policy` revalidate or refresh."),
            maybe("description", .map(of: .any), "The answers to `describe` and `samples`."),
            maybe("attempts", .whole, "The number of runs, without released ones."),
            maybe("causes", .array(of: .object(cause.members), count: 0 ... .max), "Why runs failed."),
            maybe("worker", .string(), "The id of the worker."),
            maybe("purged", .boolean, "True when its source was purged meanwhile, so that nothing keeps it."),
            maybe("metrics", .object(timings.members), "The time of each step."),
            maybe("error", .any, "Why a fallback is there, as an error object of JSON-RPC."),
            maybe("json", .any, "The document of a request with `as: json`."),
            maybe("text", .string(), "The text of a request with `as: text` or `as: xml`."),
            maybe("tag", .string(), "The `tag` of the request."),
            maybe("userInfo", .map(of: .any), "The `userInfo` of the request."),
        ])

    static let limits = ResultDescription(
        "QueueLimits", "The limits of a queue.",
        [
            always("maxConcurrent", .whole, "The most running fetches."),
            always("maxConcurrentPerHost", .whole, "The most running fetches of one host."),
            always("hostLimits", .map(of: .whole), "`maxConcurrentPerHost` for single hosts."),
            always("ruleLimits", .map(of: .whole), "Limits of hosts that come from rules."),
            always("rulePaces", .map(of: .real), "Milliseconds between two fetches of a host, from rules."),
            maybe("maxQueued", .whole, "The most waiting fetches."),
        ])

    static let queue = ResultDescription(
        "QueueInfo", "The state of a queue.",
        [
            always("name", .string(), "The queue's name."),
            always("order", .string(), "The order of requests that name none: `fifo` or `lifo`."),
            always("paused", .boolean, "Whether nothing new is claimed."),
            always("limits", .object(limits.members), "The limits."),
            always("queued", .whole, "The number of waiting fetches."),
            always("delayed", .whole, "The number of fetches that wait for their next run."),
            always("running", .whole, "The number of running fetches."),
            always("dead", .whole, "The number of dead letters."),
            maybe("oldestQueuedSeconds", .real, "The age of the oldest waiting fetch."),
            always("heldHosts", .map(of: .real), "Throttled hosts, at most 100, and until when, in epoch seconds."),
            always("workers", .whole, "The live workers."),
            maybe("shards", .whole, "The number of shards, if several."),
        ])

    /// The results, each after those that it is made of.
    static let results = [source, saved, rendition, timings, cause, image, limits, queue]

    /// The members of every event.
    static let common: [ParameterDescription] = [
        always("receipt", .string(), "The receipt's id."),
        always("seq", .whole, "The number among the events that this connection got for the receipt."),
        always("at", .real, "When, in epoch seconds."),
        always("queue", .string(), "The queue's name."),
        maybe("traceparent", .string(), "The place of the request in the trace of its client, by W3C Trace Context."),
        maybe("tag", .string(), "The `tag` of the request."),
        maybe("userInfo", .map(of: .any), "The `userInfo` of the request."),
        maybe("group", .string(), "The group of the receipt."),
        maybe("requestId", .any, "The JSON-RPC id of the `image.load`."),
    ]

    private static let error = "The error, as an error object of JSON-RPC."

    /// The events of a receipt, in about the order in which they come.
    static let events: [EventDescription] = [
        EventDescription(
            "queued", "Queued", "The request waits in the queue.",
            [maybe("position", .whole, "The number of fetches ahead; none when the fetch waits for its next run.")]),
        EventDescription(
            "started", "Started", "A worker has begun a run.",
            [maybe("worker", .string(), "The id of the worker."), always("attempt", .whole, "The number of the run, from 1.")]),
        EventDescription(
            "response", "Response", "The origin has answered.",
            [
                maybe("status", .whole, "The status."), maybe("headers", .map(of: .string()), "The headers."),
                maybe("expectedBytes", .whole, "The length of the body; none when the origin gives no length."),
            ]),
        EventDescription(
            "progress", "Progress", "How far the work is.",
            [
                always("phase", .string(), "`upload`, `download`, `decode`, `transform`, `encode` or `store`."),
                maybe("fraction", .real, "From 0 to 1; none when unknown."),
                maybe("receivedBytes", .whole, "The bytes of the source that have come."),
                maybe("expectedBytes", .whole, "The length of the source; none when the origin gives no length."),
                maybe("resumedFrom", .whole, "The byte at which an earlier download broke off."),
                maybe("sentBytes", .whole, "The bytes of the request body that were sent."),
                maybe("totalBytes", .whole, "The length of the request body."),
            ]),
        EventDescription(
            "preview", "Preview", "A picture of a source that is still arriving.",
            [
                maybe("rendition", .string(), "The name of the first rendition."), maybe("data", .base64, "A JPEG, upright and scaled."),
                maybe("key", .string(), "The key that keeps the JPEG for ten seconds, in place of data."),
                always("width", .whole, "The width in pixels."), always("height", .whole, "The height in pixels."),
                maybe("fraction", .real, "The part of the source that it shows; none when unknown."),
            ]),
        EventDescription(
            "cached", "Cached", "The cached result of `cache.policy` refresh; the origin is asked next.",
            [always("result", .object(image.members), "The cached result.")]),
        EventDescription("rendition", "Rendered", "One rendition is finished.", rendition.members),
        EventDescription(
            "retrying", "Retrying", "A run failed, and another one follows.",
            [
                maybe("attempt", .whole, "The number of the run that failed."), maybe("delay", .real, "Seconds until the next run."),
                maybe("error", .any, error),
            ]),
        EventDescription("paused", "Paused", "The receipt was paused."),
        EventDescription("resumed", "Resumed", "The receipt goes on."),
        EventDescription(
            "succeeded", "Succeeded", "The end: there is a result.", [always("result", .object(image.members), "The result.")], isTerminal: true),
        EventDescription("failed", "Failed", "The end: there is none.", [always("error", .any, error)], isTerminal: true),
        EventDescription(
            "cancelled", "Cancelled", "The end: the receipt was cancelled.",
            [maybe("reason", .string(), "Why."), maybe("phase", .string(), "The phase in which the work stopped.")], isTerminal: true),
    ]
}
