import TintypeCore

/// `docs/protocol.md`, made from the descriptions; a test holds the file to it.
package enum ProtocolDocument {
    private static let request = SharedObject(
        "ImageRequest", "Which image is wanted, and how the work is done. `image.load` takes these members, and so does every method with a request.",
        ImageRequest.parameters)
    /// In the order of the page. A section may link to those after itself.
    private static let objects = [
        request,
        SharedObject("Fetch", "How the source is downloaded: `fetch` of a request.", FetchOptions.parameters),
        SharedObject("Cache", "Which caches a request reads and writes: `cache` of a request.", ImageRequest.cacheParameters),
        SharedObject("Rendition", "One output of a request: a member of `renditions`.", Rendition.parameters),
        SharedObject("Decode", "How the source is opened: `decode` of a request.", DecodeOptions.parameters),
        SharedObject("Output", "How a result is encoded: `output` of a request or of a rendition.", OutputOptions.parameters),
    ]

    package static func markdown() -> String {
        var lines = ["# Protocol", "", introduction, "", "## Objects", ""]
        for object in objects {
            lines += ["### \(object.name)", "", object.summary, ""] + table(object.members, linking: objects.filter { $0.name != object.name })
        }
        lines += ["## Methods", ""]
        for method in MethodCatalogue.methods { lines += section(method) }
        lines += ["## Operations", "", "`transform` is a list of these, applied in order.", ""]
        for operation in OperationCatalogue.descriptions {
            lines += ["### `\(operation.name)`", "", operation.summary, ""] + table(operation.parameters, linking: objects)
        }
        lines += ["## Errors", "", "`error.data` always has `{name, phase, retryable, message}`, and what the table names.", ""]
        lines += [
            "Once work has begun it says `attempts`, how many runs there were, and `causes`, a list of `{name, status?}` of those that failed; so does a result.",
            "",
        ]
        lines += ["| code | name | retryable | when |", "|---|---|---|---|"]
        lines += ErrorName.allCases.map { "| \($0.code) | \($0.rawValue) | \($0.isRetryable ? "yes" : "no") | \($0.meaning) |" }
        lines += ["", "Phases: \(Phase.allCases.map(\.rawValue).joined(separator: ", "))."]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ method: MethodDescription) -> [String] {
        var lines = ["### `\(method.name)`", "", method.summary, ""]
        var (own, shared) = request.split(method.parameters)
        // A few names that happen to be the request's too are parameters like others.
        if shared.count < request.members.count / 2 { (own, shared) = (method.parameters, []) }
        if shared.count == request.members.count {
            lines += ["Takes the members of an \(request.link)\(own.isEmpty ? "." : ", and:")", ""]
        } else if !shared.isEmpty {
            let left = request.members.filter { !shared.contains($0.name) }.map { "`\($0.name)`" }
            lines += ["Takes the members of an \(request.link) but for \(left.joined(separator: ", "))\(own.isEmpty ? "." : ", and:")", ""]
        }
        if !own.isEmpty { lines += table(own, linking: objects) }
        lines += ["→ \(method.result)", ""]
        if method.role > .load { lines += ["Needs a token of the role `\(method.role.rawValue)`, where tokens are asked for.", ""] }
        return lines
    }

    private static func table(_ members: [ParameterDescription], linking objects: [SharedObject]) -> [String] {
        members.isEmpty ? [] : ParameterTable.header + ParameterTable(objects: objects).rows(members) + [""]
    }

    private static let introduction = """
        JSON-RPC 2.0 over TCP, port 7411 by default, and `POST /rpc` on the HTTP port, 7412. Parameters are one object, by name. This page is made by
        `tintype docs protocol` from the descriptions that also validate requests; `rpc.discover` answers the same as an OpenRPC document.

        **Framing.** The first byte of a connection decides: `{` or `[` is one message a line, `C` begins `Content-Length: N` headers as in the Language
        Server Protocol. Batches, notifications and any number of requests in flight; answers come in the order in which the work ends. A message has at
        most 4 MiB and 64 levels, a batch at most 1,024 members: a longer one is refused whole, by one error -32600 whose id is null. With 1,024 requests unanswered a connection is not read from, but for `receipt.cancel`, `$/cancelRequest` and `system.ping`.

        **Leaving.** A client that has closed its connection, or only its sending side (`nc -N`), counts as gone: an `image.load` or `image.probe` without
        a receipt of its own is withdrawn at once and answered 1040, other receipts live on for 30 s unless they are asked for again. Requests that
        are answered within 2 s still are (over HTTP answers may be cut then: leave that side open), so wait for an image's answer before you stop sending, or submit it with `detached`. A client whose host or
        way has gone without a word is noticed within half a minute, and so is one that for 25 s takes nothing of what waits for it in full buffers.

        **Events** are notifications `image.event` with `{receipt, seq, type, at, queue, tag?, userInfo?, requestId?, …}`; `seq` counts what the client of a request
        was told of its receipt, so that a terminal event that comes alone is 1, and goes on higher, perhaps after a gap, where the receipt is taken up again;
        for `events.subscribe`, in Redis and in callbacks it is the event's number among all of its receipt. They are:
        `queued {position}`, `started {worker, attempt}`, `response {status, headers, expectedBytes}`,
        `progress {phase, receivedBytes, expectedBytes, fraction}` and, of a request with a body of more than 64 KiB, before them those of phase `upload`
        `{phase, sentBytes, totalBytes, fraction}`, `preview {rendition, data, width, height, fraction}`, `rendition {name, key, …}`, `retrying {attempt, delay, error}`, and exactly one of
        `succeeded {result}`, `failed {error}`, `cancelled {reason, phase}`. Without `progress`, `image.load` sends none and `image.submit` the terminal one,
        but `cached` and `preview` where they were asked for. `fraction` of `progress` is in phase `download` the share of the body, null where the origin gives no
        length; later it is the share of all that is made of the source that is done, through all phases and renditions, and never falls until another attempt
        begins. In phase `store` it is null.

        **Previews.** A request with `progressive` is shown its source while it arrives: `data` is a JPEG in base64, upright and scaled to the wished width, without the
        request's operations; `rendition` the name of its first rendition; `fraction` the share of the source it is made of, null where the origin gives no
        length. Progressive JPEG, from its first whole scan on, baseline JPEG and interlaced PNG; no other formats, none of what is encrypted or comes from a cache, none after
        the download's end. They are a courtesy: what would hold up other work is left out. In Redis, and for `events.subscribe`, the event has
        `key`, where the JPEG lies for ten seconds, in place of `data`.

        **Hooks** are notifications `image.hook` with `{receipt, hook, at, queue, tag?, userInfo?, requestId?}` to the client of a request with `hooks: true`,
        as accessories of YTKNetwork know them: `willStart` when the queue has taken the request, before its first event; `willStop` before the terminal event;
        `didStop` after it, and after the answer unless that waits for others of a batch. Each comes once and in this order, however the request ends, from a
        cache too and by a coordinator that stops, and has no `seq`. A refused request has none. Who takes a receipt up by `receipt.get` gets what was not told before:
        the last two; so of an `image.submit` whose coordinator stops, since its receipt goes on. A group that was started with `hooks: true` has the same
        three in `group.hook` with `{group, kind, hook, at}`, around its events, while its connection and its coordinator last.

        **Callbacks.** A request with `callback: {url, secret?}` has its terminal event posted there as JSON, as it is published in Redis: `{receipt, seq, type, at,
        queue, …}` with the keys of images, never their bytes. With a secret the header `Tintype-Signature-V1: t=<epoch seconds>,v1=<hex>` holds the time of this try, and
        the HMAC-SHA256 of that time, a dot and the body: operations.md has an example that checks it. The header `Tintype-Signature: sha256=<hex>`, the HMAC of the body alone, goes with the next release. Any 2xx
        ends it, 410 gives it up; other answers, redirects included, timeouts and connection errors are tried again, five tries in all with growing pauses. A
        refused address or one that rules deny, as for downloads, gives it up. It is owed from the moment the receipt has ended and outlives the coordinator; a receiver may get the
        same event twice and knows it by `receipt` and `seq`.

        **Groups.** `group.event` with `{group, kind, seq, type, at, …}` goes to the connection that started the group and to `events.subscribe {groups}`:
        `progress {finished, total}`, then exactly one of `succeeded`, `failed {failed: {index, error}}`, `cancelled {reason}`; also those carry `finished` and
        `total`, of a prefetch `skipped` and `errors`, and `succeeded` the `results` of a group of at most 1,000. A group lives on when its client leaves, and when the
        coordinator that drives it dies: another takes it over within 12 s. Each item is a receipt, named in its result; its events carry `group`. A group
        has at most 10,000 items. Requests of a group that have not ended wait in Redis, those of a chain at most 64 MiB of them: `chain.append` beyond that is `overloaded`.

        **Tokens.** Where the operator asks for tokens, each has a role: `load` asks for images and looks after its own receipts, `put` also brings and
        forgets images, `admin` does everything. A method that needs more than `load` says so below; a token that has less is answered `forbidden` (1052), over HTTP with
        status 403. A token may be bound to a scope: `cache.scope` of all its requests is that one, and another is `forbidden`. A token may be bound to
        queues: the first is its default, and others are `forbidden`. Receipts of others are unknown to a token below `admin`; two tokens of one name are one client.
        A group's id is not to be guessed: whoever knows the id may ask for the group.

        **HTTP.** `GET /images/{key}` (ETag, ranges), `PUT /images/{key}` (as `cache.put`), `/healthz`, `/readyz`, `/metrics`, `POST /rpc`. A request whose
        head may be read in two ways (several lengths, a coding beside `chunked`, no `Host`, a body of HEAD) is answered 400, and the connection closed; so is one
        whose body in chunks is not framed by the grammar. Where no token is asked for, a `Host` other than an address, `localhost`, a name without a dot or one of `--host-names` is 403.
        """
}
