import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeTransport

/// The pictures that the door shows at once: fresh ones with their bytes in memory, or in an open file. No task is begun for them.
@Loop
final class MemoryHits {
    private let memory: MemoryTier
    private let sender: ImageSender
    private let headers: DoorHeaders
    private let metrics: Metrics
    private let found: Metrics.Handle

    init(_ memory: MemoryTier, _ sender: ImageSender, _ headers: DoorHeaders, _ metrics: Metrics) {
        (self.memory, self.sender, self.headers, self.metrics) = (memory, sender, headers, metrics)
        found = metrics.handle(.cacheLookups, labels: CacheTier.memory.rawValue, "hit")
    }

    /// Returns the entry that answers a question, perhaps without its bytes.
    func entry(_ lookup: MemoryLookup) -> CachedRendition? {
        guard let entry = memory.current(lookup.key, ttl: lookup.ttl), entry.tags.isSuperset(of: lookup.tags) else { return nil }
        return entry
    }

    /// Removes a picture whose bytes are gone.
    func forget(_ key: String) { memory.remove(key) }

    /// Returns the end of a request by its plan alone; nil for one that needs a `PictureRequestHandler`.
    /// - Parameter rules: The number of changes of the operator's rules.
    func end(_ picture: PlannedPicture, rules: Int, _ exchange: HTTPExchange) -> (outcome: DoorOutcome, answer: WebAnswer)? {
        let asked = ImageConditions(exchange, isDated: picture.plan.isDated)
        // A visit tells the reason of a refusal.
        guard asked.required == nil, let lookup = picture.lookup(rules: rules), let entry = entry(lookup),
            let answer = sender.atOnce(entry, asked, isWanted: exchange.method != "HEAD", { lines(picture, $0, $1) }), answer.status != 503
        else { return nil }
        countHit()
        return (answer.status == 304 ? .unchanged : .hit, answer)
    }

    /// Counts a picture that memory has answered. A miss is counted by the admission that comes next.
    func countHit() { metrics.add(found) }

    /// Returns the lines of the best picture of a plan, which its requests share.
    func lines(_ planned: PlannedPicture, _ served: ServedImage, _ choice: ImageChoice) -> HeaderLines {
        let now = WallClock.now
        func made(_ hasBody: Bool) -> HeaderLines {
            headers.lines(DoorHeaders.Picture(served), planned.plan, .memory, hasBody: hasBody, mayBeKept: choice.mayBeKept, now: now)
        }
        let hasBody = choice != .unchanged && choice != .unsatisfiable
        return choice.mayBeKept ? planned.lines(served, hasBody: hasBody, now: now, make: made) : made(hasBody)
    }
}
