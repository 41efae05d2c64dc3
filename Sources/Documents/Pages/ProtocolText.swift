/// The sections of `docs/protocol.md` that no description holds: messages, events, hooks, callbacks, groups, tokens, HTTP and types.
enum ProtocolText {
    static let errorRules = """
        `retryable` says whether the same request may succeed soon. The table has the defaults; that of a single error counts:

        - `httpStatus` is retryable after 408, 425, 429 and 5xx.
        - With `fetch.retry.on`, dns, connect, tls, timeout, connectionLost and httpStatus are retryable if the list has them.
        - `tls` is retryable if the fault is the worker's, such as a missing profile.
        - `timeout` of one picture is not retryable: that picture would take as long again.
        - `blacklisted` is over at `until`.

        After work has begun, an error also has `attempts` and `causes`, as an [ImageResult](#imageresult).
        """

    static let objects = """
        Parentheses have the values and default of a member.
        """

    static let methods = """
        Examples leave out `jsonrpc` and `id`; "shortened" ones also members or elements.
        """

    static let introduction = """
        Tintype speaks JSON-RPC 2.0 over TCP (port 7411 by default) and by `POST /rpc` on the HTTP port (7412).
        Parameters are one object, by name; `_meta` in it may name a [trace](traces.md).
        `rpc.discover` answers this page as OpenRPC.

        ## Messages

        The first byte of a connection decides how messages are framed:

        - `{` or `[`: one message a line.
        - `C`: `Content-Length: N` headers, as in the Language Server Protocol.

        - Batches and notifications are allowed. Answers come as the work ends.
        - A message has at most 4 MiB and 64 levels, a batch at most 1,024 members. A longer message is refused: -32600 with a null id.
        - The answers of a batch have at most 12 MiB. A member beyond that is `limitExceeded`: send its request alone.
          Long answers share [room](network.md#long-answers): they wait, then fail with `overloaded`.
        - While 1,024 requests of a connection are unanswered, the coordinator accepts only `receipt.cancel`, `$/cancelRequest` and `system.ping` from it.
          Further requests wait, without an error.

        ## Disconnecting

        A client that closes its connection, or only its sending side, counts as gone.
        Its receipts then end so:

        - An `image.load` or `image.probe` without a `receipt` of its own is cancelled at once (error 1040).
        - Another receipt goes on for 30 seconds. To keep the receipt, call `receipt.get` in that time.
        - A `detached` request goes on for 24 hours.

        A client that closes only its sending side still gets answers ready within 2 seconds.

        The coordinator notices a lost host or network after 25 seconds, and closes a connection with full buffers whose client reads nothing for as long.

        ## How long a receipt is known

        After its end, a receipt is known for 24 hours, except:

        - `image.load` and `image.probe` without a `receipt` of their own: ten minutes.
          No call knows the id of an answer from the coordinator's memory without a `callback`.
        - An item of a group without a `receipt` of its own: an hour. `group.get` has its result for longer.
        - Others that came while Redis held more than half of `--max-queue-bytes`: ten minutes.

        ## Durable

        With `durable: true` the answer waits until `--durable-replicas` replicas of Redis have the request, at most `--durable-timeout`.
        `image.submit`, `chain.append` and the methods that start a group then answer `durable`.
        False: too few have confirmed; the request is accepted and goes on, and waits again when repeated with its `receipt`.
        `image.load` and `image.probe` wait silently; items of groups never.

        ## Events

        An event is a notification `image.event` with `{receipt, seq, type, at, queue, traceparent?, tag?, userInfo?, requestId?, …}`.
        `at` is in epoch seconds; `requestId` is the JSON-RPC id of the `image.load`.
        The types:

        - `queued {position}`: `position` counts the fetches ahead, or is null when the fetch waits for its next run.
        - `started {worker, attempt}`: a worker has begun a run.
        - `response {status, headers, expectedBytes}`: the origin has answered.
        - `progress {phase, …, fraction}`: [Progress](#progress).
        - `preview {rendition, data, width, height, fraction}`: [Previews](#previews).
        - `cached {result}`: the cached result of `cache.policy` refresh; the origin is asked next.
        - `rendition {name, key, …}`: one rendition is finished; a [RenditionInfo](#renditioninfo).
        - `retrying {attempt, delay, error}`: a run failed; the next begins after `delay` seconds.
        - `paused`, `resumed`: the receipt was paused, or goes on.
        - Exactly one terminal event: `succeeded {result}`, `failed {error}` or `cancelled {reason, phase}`.

        Without `progress`, only `cached` and `preview` come, and the terminal event of `image.submit`.

        `seq` numbers the events that one client gets for a receipt.
        A terminal event that comes alone has `seq` 1. After `receipt.get` the numbers go on and may skip some.
        In Redis, in callbacks and for `events.subscribe`, `seq` numbers all events of the receipt.

        ### Progress

        A `progress` event has `phase`, and:

        - Phase `upload`, for a request body of more than 64 KiB: `{sentBytes, totalBytes, fraction}`.
        - Any other phase: `{receivedBytes, expectedBytes, fraction, resumedFrom?}`.
          `expectedBytes` may be null.
          An earlier download broke off at `resumedFrom`.

        `fraction` is from 0 to 1:

        - In `upload` and `download` the part of the body, or null without a length.
        - In `decode`, `transform` and `encode` the finished part of all renditions. It falls only when another attempt begins.
        - In `store` null.

        If a download has more receipts than 200, `progress` and `preview` reach 200 at a time.

        ### Previews

        With `progressive`, pictures of a source come while the source arrives.

        - `data` is a JPEG in base64, upright and scaled to the requested width, without the operations of the request.
        - `rendition` is the name of the first rendition.
        - `fraction` is the part of the source that the preview shows.
        - Progressive JPEG (from its first complete scan), baseline JPEG and interlaced PNG have previews.
        - GIF, animated PNG and animated WebP have one: their first complete frame.
        - Encrypted and cached sources have none.
        - In Redis and for `events.subscribe`, `key` replaces `data`; the JPEG is kept under it for ten seconds.

        ## Hooks

        A request with `hooks: true` gets notifications `image.hook` with `{receipt, hook, at, queue, tag?, userInfo?, requestId?}`:

        - `willStart`: the queue has accepted the request; comes before its first event.
        - `willStop`: comes before the terminal event.
        - `didStop`: comes after the terminal event, and after the answer unless the answer waits for others of a batch.

        Each comes once, in this order, also from a cache and a stopping coordinator.
        Hooks have no `seq`; a refused request has none.
        A client that continues a receipt with `receipt.get` gets the last two hooks if they were not sent.

        A group that was started with `hooks: true` has the same hooks around its events: `group.hook` with `{group, kind, hook, at}`.
        They come while the connection and the coordinator of the group last.

        ## Callbacks

        A request with `callback: {url, secret?}` has its terminal event posted to the URL, as JSON.
        The body is the event as Redis has it: `{receipt, seq, type, at, queue, …}` with the keys of images, never their bytes.

        With a secret, the headers `Tintype-Signature-V1` and `Tintype-Signature` sign the body ([how to check](queues.md#callbacks)).

        Any 2xx ends the callback; 410, a refused address and a denying rule give it up.
        After anything else there are five tries, with growing pauses.

        The callback is due from the end of the receipt on, and survives the coordinator.
        A receiver may get an event twice: compare `receipt` and `seq`.

        ## Groups

        A `prefetch.start`, `batch.start` or `chain.start` makes a group of at most 10,000 items.
        Each item is a receipt: its result names the receipt, whose events carry `group`.

        An event of a group is a notification `group.event` with `{group, kind, seq, type, at, finished, total, …}`.
        The connection that started the group gets the events, and so does `events.subscribe {groups}`:

        - `progress`: how many of the items have ended.
        - Exactly one terminal event with `origins`: `succeeded`, `failed {failed: {index, error}}` or `cancelled {reason}`.
          That of a prefetch also has `skipped` and `errors`; `succeeded` of a batch or chain of at most 1,000 items, `results`.

        - A group goes on when its client leaves, and within 12 seconds when its coordinator dies.
        - A chain may have 64 MiB of unfinished requests; `chain.append` beyond that is `overloaded`.

        ## Tokens

        Where the operator requires tokens, each token has a role:

        - `load` requests images and manages its own receipts.
        - `put` also stores and removes images, and uploads bytes.
        - `admin` does everything.

        - A method below names its role if that is more than `load`. A lower role is answered `forbidden` (1052); `PUT /images/{key}` and `/uploads` then have status 403.
        - A token may be bound to a scope: all its requests get that `cache.scope`, and another scope is `forbidden`.
        - A token may be bound to queues: the first is its default, and other queues are `forbidden`.
        - Below `admin`, receipts and groups of other clients are unknown. Two tokens of one name are one client.
        - A name may have limits: requests a second, open receipts, and requests that wait for a place. A request beyond one is `overloaded` with `limit`.
        - Uploads of a name beyond its limit of bytes push out its oldest ones.
        - After too many wrong tokens, an address is refused for up to a minute: `overloaded`.
        - Without tokens, the id of a group is a secret.

        ## HTTP

        `POST /rpc` takes a message or batch as `application/json`, and `GET /images/{key}` serves a result.
        [HTTP](http.md) has all routes, statuses, streams of events, and uploads.

        ## Results

        Times are in epoch seconds.
        A member that is unknown or does not apply is left out.

        ### ImageResult

        - `receipt`: the receipt's id; null from `cache.get`.
        - `from`: where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`.
        - `state`: always `succeeded`.
        - `notModified`: true when the origin was asked and the source had not changed.
          After `cache.policy` revalidate or refresh, `updated` says whether it had.
        - `source`: a [SourceInfo](#sourceinfo).
        - `renditions`: a list of [RenditionInfo](#renditioninfo), each with its `name` first.
        - `description`: the answers to `describe` and `samples`.
        - `attempts`: the number of runs, without released ones. Runs lost with their worker count here, but not against `fetch.retry.attempts`.
        - `causes`: a list of `{name, status?}` of the runs that failed.
        - `worker`: the id of the worker, or null.
        - `purged`: true when its source was purged meanwhile, so that nothing keeps it.
        - `metrics`: seconds spent in `queued`, `dns`, `connect`, `tls`, `firstByte`, `download`, `decode`, `transform`, `encode`, `store` and `total`.
        - `error`: why a fallback is there.
        - `json`: the document of a request with `as: json`. `text`: that of a request with `as: text` or `as: xml`.

        ### SourceInfo

        - `url` and `finalURL`: the requested URL and that after redirects, without user and password.
        - `status`, `etag`, `lastModified`: from the response of the origin.
        - `bytes` and `sha256`: length and hash (in hexadecimal) of the body.
        - `format`, `width`, `height`, `frames`, `hasAlpha`, `orientation` (EXIF, 1 to 8): of the stored picture.
        - `scale`, or `source.scale` of a result: 2 or 3 when the file's name in the URL ends in `@2x` or `@3x`.
        - `expiresAt`: until when the source is fresh.

        ### RenditionInfo

        - `key` and `url`: the result's key, and the path that serves it.
        - `format`, `contentType`, `bytes`, `width`, `height`, `frames`, `sha256`: of the result.
        - `quality`: the encoder's quality, for lossy formats.
        - `stored`: the tiers that keep it.
        - `expiresAt` and `storedAt`: until when the result is fresh, and when its sources were last downloaded or revalidated.
        - `version`: the `cache.version` of the request, unless 0.
        - `private`, `noStore`, `staleWhileRevalidate`, `staleIfError`: limits for [caches in front](caching.md#caches-in-front).
        - `validated`: true when a worker checked the bytes as JSON.
        - `applied`: true for a picture that the service made or a client put.
        - `metadata`: that of its request.
        - `data`: the bytes in base64, with `deliver: inline`.

        ### QueueInfo

        - `name`, `order`, `paused`.
        - `limits`: `{maxConcurrent, maxConcurrentPerHost, hostLimits, ruleLimits, rulePaces, maxQueued}`.
          `ruleLimits` and `rulePaces` (milliseconds between two fetches) come from rules.
        - `queued`, `delayed`, `running`, `dead`: numbers of fetches.
        - `oldestQueuedSeconds`: the age of the oldest waiting fetch, or null.
        - `heldHosts`: `{host: until}` of at most 100 throttled hosts.
        - `workers`: its live workers.
        - `shards`: their number, if several.

        ### States

        - A receipt is `queued`, `delayed` (waits for its next run), `paused` or `running`, then `succeeded`, `failed` or `cancelled`.
        - A group is `running`, then `succeeded`, `failed` or `cancelled`. Its items are `queued` or `running`, then one of the same three.
        - A worker is `starting`, `running`, `quiet` (claims nothing), `draining`, `stopped` or `lost` (sends no heartbeat).
          `workers.changed` also reports `gone`.
        """
}
