package import TintypeCore
package import TintypeImages

/// One receipt on its way into the queue: what the coordinator made of an `ImageRequest`.
///
/// All JSON is compact text without line breaks, as `JSON.text` writes it.
package struct Submission: Sendable, Hashable {
    /// One output that is wanted.
    package struct Rendition: Sendable, Hashable {
        /// As in the request. The empty name stays out of the result's list of renditions: a probe.
        package var name: String
        /// The key of the result. Several names may share a digest.
        package var digest: String
        /// What the worker gets: canonical JSON.
        package var json: String

        package init(name: String, digest: String, json: String) {
            self.name = name
            self.digest = digest
            self.json = json
        }
    }

    /// 1–128 of `A–Z a–z 0–9 . _ : -`.
    package var receipt: String
    /// Whose channel the events go to.
    package var coordinator: String
    /// Tells a repetition of the same request from another one under the same receipt id.
    package var fingerprint: String
    /// The coalescing key of the download: the source's digest, and behind an @ what keeps it from being merged with others.
    package var source: String
    /// Lower case, no port; `data:`, which no URL has for a host, for data: URLs, which no host limit holds back.
    package var host: String
    /// The hosts of its other addresses, in their order: while its first one has asked to be left alone it waits for one of these.
    package var mirrors: [String] = []
    /// The fetch as the worker gets it: canonical JSON. It may hold secrets and is never logged.
    package var fetch: String
    /// At least one.
    package var renditions: [Rendition]
    /// −10…10, greater is sooner.
    package var priority: Int = 0
    /// nil: whatever the queue's order is when a worker asks.
    package var order: QueueOrder?
    /// From acceptance to result.
    package var deadlineSeconds: Double = 30
    /// How often a transient failure is tried; the death of a worker does not count.
    package var maxAttempts: Int = 3
    package var retryBaseMilliseconds: Int = 500
    package var retryMaxMilliseconds: Int = 30_000
    /// What the download may take, unless it is as usual. Of those who join before it begins the most generous counts.
    package var timeouts: FetchOptions.Timeouts?
    /// Put into every public event of the receipt: `,"tag":…,"userInfo":…`, or nothing.
    package var meta: String = ""
    /// Whether `response` and `progress` events are made for it. Others are always.
    package var wantsProgress: Bool = false
    /// Seconds between two reports of progress at the least, if any are made. Of those who share a fetch the finest counts.
    package var progressInterval = ImageRequest.Progress.usual
    /// What is shown of the picture while it arrives. Whoever wants that is told of progress too.
    package var previews: PreviewOptions?
    /// Whether results in the index may answer it.
    package var readResults: Bool = true
    /// Whether the bytes of what the index may have are known to be in the store; else the answer is `.indexed` if it has any.
    package var isVerified: Bool = true
    /// Whether what the index has is told as `cached` while the work is done anew.
    package var showsCached: Bool = false
    /// The version of results that the index may answer with.
    package var version: Int = 0
    /// How many seconds ago the source of such results may have come; nil: they count as long as its origin says.
    package var newerThan: Double?
    /// Which older fetch it may join.
    package var joining = Joining.any
    /// Whether the source is to be kept. Of those who share a fetch one is enough.
    package var keepsSource = true
    /// How long a worker is asked to keep the results, in seconds; 0: not at all. The longest of all receipts counts.
    package var resultTTL = Submission.usualTTL
    /// How long the ended receipt can be asked for. 24 h; less for receipts whose id nobody knows, and while Redis is more than half full.
    package var keepSeconds: Double = 86_400
    /// Where it takes the place of the receipt before it, which ends as superseded.
    package var slot: String?
    /// What the blacklist has to say in it.
    package var blacklist = BlacklistUse.on(decodes: true)
    /// Statuses of which it makes something, if they are not the usual ones: a source that is listed for one of them is asked all the same.
    package var takes: [ClosedRange<Int>] = []
    /// Whether a refusal by the blacklist is told before it is one: `.listed`. For sources that may be kept somewhere.
    package var asksIfListed = false
    /// How its end is to be handed over.
    package var terms = ReceiptTerms()
    /// Whether its client has chosen its id, which one queue alone may know then: see `Queue.reserve`.
    package var isChosen = false
    /// Who is to be called at its end.
    package var callback: CallbackTarget?
    /// Whose it is: where there are several, none of them has more places than another who waits. An opaque word, without spaces, that names nobody.
    package var client = Submission.house
    /// What a dead letter of its fetch keeps in place of all: see `BareFetch`. Empty: the letter may be kept whole.
    package var bare = ""

    /// For `client`: what the service asks for by itself, such as items of groups and retried letters.
    package static let house = "-"
    /// How long results are kept when nobody says otherwise: an hour.
    package static let usualTTL = 3600.0
    /// For `resultTTL`, and less than any time: nobody else is given them, but for a minute their URL leads somewhere.
    package static let bytesOnly = 0.001
    /// For `resultTTL`: as long as the source is fresh.
    package static let whileFresh = 0.002
    /// The shortest time that is one.
    package static let shortest = 0.003

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
    /// About how many bytes it leaves in Redis.
    package var bytes: Int {
        fetch.utf8.count + 2 * meta.utf8.count + bare.utf8.count + (callback?.url.utf8.count ?? 0)
            + renditions.reduce(0) { $0 + $1.name.utf8.count + $1.json.utf8.count }
    }

    /// The key of its source in the cache of sources.
    package var sourceKey: String { String(source.prefix { $0 != "@" }) }

    /// The same without the network: it is made of what is kept, or ends with `refusal`. No host's limit is touched by it.
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

/// Which older fetch of its source a submission may join. What is to be asked anew joins nothing that has begun, nor what asks in another way: who
/// reads nothing is not given what a 304 says is unchanged, and who asks whether it has changed is told so.
package enum Joining: String, Sendable, Hashable, CaseIterable {
    case any = "0"
    /// Nothing is read.
    case reload = "1"
    /// The origin is asked, by what is kept.
    case asking = "2"
}

/// In which order fetches of one priority leave a queue. Where both occur, LIFO comes first.
package enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    case fifo, lifo

    /// As the scripts write it.
    var letter: String { self == .fifo ? "f" : "l" }
}
