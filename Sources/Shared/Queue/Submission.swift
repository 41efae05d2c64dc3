package import TintypeCore
package import TintypeImages

/// One receipt on its way into the queue, made by a coordinator from an `ImageRequest`.
///
/// All JSON is compact text without line breaks, as `JSON.text` writes it.
package struct Submission: Sendable, Hashable {
    package struct Rendition: Sendable, Hashable {
        /// The name in the request. A rendition with an empty name, a probe, is left out of the result's list of renditions.
        package var name: String
        /// The key of the result. Several names may share a digest.
        package var digest: String
        /// The canonical JSON for the worker, with the texts that an operation writes.
        package var json: String

        package static func == (one: Rendition, other: Rendition) -> Bool {
            one.name == other.name && one.digest == other.digest && one.json.isExactly(other.json)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(digest)
            json.hashExactly(into: &hasher)
        }

        package init(name: String, digest: String, json: String) {
            self.name = name
            self.digest = digest
            self.json = json
        }
    }

    /// 1–128 of `A–Z a–z 0–9 . _ : -`.
    package var receipt: String
    /// The coordinator whose channel gets the events.
    package var coordinator: String
    /// Distinguishes a repetition of the same request from another request with the same receipt id.
    package var fingerprint: String
    /// The coalescing key of the download: the digest of the source, and behind an @ a word that keeps different fetches of it apart.
    package var source: String
    /// The host in lower case without port. A data: URL has the host `data:`, which no URL can have and no host limit applies to.
    package var host: String
    /// The hosts of its mirrors, in their order. While the first host is throttled, the fetch waits for one of these.
    package var mirrors: [String] = []
    /// The canonical JSON of the fetch for the worker. It may contain secrets and is never logged.
    package var fetch: String
    package var renditions: [Rendition]
    /// From −10 to 10; higher goes first.
    package var priority: Int = 0
    /// nil: the order of the queue at the time of a claim.
    package var order: QueueOrder?
    /// Seconds from acceptance to result.
    package var deadlineSeconds: Double = 30
    /// The number of attempts for transient failures. A lost worker does not count.
    package var maxAttempts = Submission.usualAttempts
    package var retryBaseMilliseconds = Submission.usualRetryBase
    package var retryMaxMilliseconds = Submission.usualRetryCeiling
    /// The timeouts of the download, unless they are the defaults. The largest timeouts of all receipts that join before the run count.
    package var timeouts: FetchOptions.Timeouts?
    /// The members of every public event of the receipt: `,"tag":…,"userInfo":…`, or nothing.
    package var meta: String = ""
    /// Whether the receipt gets `response` and `progress` events. It always gets all others.
    package var wantsProgress: Bool = false
    /// The shortest time between two reports of progress, in seconds. The smallest value of all receipts that share a fetch counts.
    package var progressInterval = ImageRequest.Progress.usual
    /// The previews while the picture arrives. A receipt with previews also gets progress.
    package var previews: PreviewOptions?
    /// Whether results in the index may answer the receipt.
    package var readResults: Bool = true
    /// Whether the bytes of results in the index are known to be in the store. Otherwise the answer is `.indexed` if the index has any.
    package var isVerified: Bool = true
    /// Whether results in the index are sent as `cached` while the work is done anew.
    package var showsCached: Bool = false
    /// The version of results that the index may answer with.
    package var version: Int = 0
    /// The maximum age of the source of such results in seconds; nil: they count as long as the origin says.
    package var newerThan: Double?
    /// The older fetches that the receipt may join.
    package var joining = Joining.any
    /// Whether to keep the source. One of the receipts that share a fetch is enough.
    package var keepsSource = true
    /// How long a worker is asked to keep the results. The longest time of all receipts counts.
    package var resultTime = ResultTime.seconds(Submission.usualTTL)
    /// Seconds for which the ended receipt can be asked for: 24 h. The time is shorter for receipts whose id no client needs any more, and while Redis
    /// holds more than half of its budget.
    package var keepSeconds = Submission.usualKeep
    /// The supersede key. The receipt ends the live receipt with the same key as superseded.
    package var supersedeKey: String?
    package var blacklist = BlacklistUse.on(decodes: true)
    /// The statuses that the request accepts, if they are not the defaults. A blacklisted source is asked all the same if one of them caused the entry.
    package var takes: [ClosedRange<Int>] = []
    /// Whether a refusal by the blacklist is answered as `.listed` first. For sources that a cache may have.
    package var asksIfListed = false
    /// The options for the delivery of the end.
    package var terms = ReceiptTerms()
    /// Whether the client has chosen the id. Then only one queue may know it: see `Queue.reserve`.
    package var isChosen = false
    /// The receiver of the terminal event.
    package var callback: CallbackTarget?
    /// The client of the receipt: an opaque word without spaces, not a name. While other clients wait, no client holds more permits than they do.
    package var client = Submission.house
    /// The tags of the results, each with its scope (`CacheTag.word`).
    package var tags: [String] = []
    /// The text that a dead letter keeps in place of the whole fetch: see `CredentialStripper`. Empty: the dead letter may keep the whole fetch.
    package var bare = ""

    /// The `client` of requests that the service makes itself, such as items of groups and retried dead letters.
    package static let house = "-"
    package static let usualAttempts = 3
    /// The default base and ceiling of the backoff, in ms.
    package static let usualRetryBase = 500, usualRetryCeiling = 30_000
    /// The default time for which the record of an ended receipt stays: a day.
    package static let usualKeep = 86_400.0
    /// The default time for which results are kept: an hour.
    package static let usualTTL = 3600.0

    package init(
        receipt: String, coordinator: String, fingerprint: String, source: String, host: String, fetch: String, renditions: [Rendition]
    ) {
        self.receipt = receipt
        self.coordinator = coordinator
        self.fingerprint = fingerprint
        self.source = source
        self.host = host
        self.fetch = fetch
        self.renditions = renditions
    }
}

extension Submission {
    /// About how many bytes the submission leaves in Redis.
    package var bytes: Int {
        fetch.utf8.count + 2 * meta.utf8.count + bare.utf8.count + (callback?.url.utf8.count ?? 0)
            + renditions.reduce(0) { $0 + $1.name.utf8.count + $1.json.utf8.count }
    }

    /// The key of the source in the cache of sources.
    package var sourceKey: String { String(source.prefix { $0 != "@" }) }

    /// Returns the same submission without the network: its result is made of kept bytes, or it ends with `refusal`. It counts against no host's limit.
    package func keptAlone(orElse refusal: JSON) -> Submission {
        guard case .object(var fetch)? = try? JSON(parsing: self.fetch) else { return self }
        var use = CacheUse(canonical: fetch["cache"])
        (use.mode, use.refusal) = (.normal, refusal)
        fetch["cache"] = use.canonical
        var alone = self
        (alone.fetch, alone.source, alone.host) = (JSON.object(fetch).text, source + (source == sourceKey ? "@kept" : "-kept"), "data:")
        (alone.mirrors, alone.asksIfListed, alone.blacklist) = ([], false, .off)
        return alone
    }
}

/// The older fetches of its source that a submission may join. A reload or revalidation joins only a queued fetch of the same kind. A 304 must not
/// answer a reload, and a revalidation must learn whether there was one.
package enum Joining: Sendable, Hashable, CaseIterable {
    case any
    /// The submission reads no cached source.
    case reload
    /// The submission asks the origin whether the kept source has changed.
    case asking

    /// The word for the scripts; nil for the default.
    var word: String? {
        switch self {
        case .any: nil
        case .reload: "reload"
        case .asking: "revalidate"
        }
    }
}

/// The order in which fetches of one priority leave a queue. If both occur, LIFO comes first.
package enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    case fifo, lifo
}
