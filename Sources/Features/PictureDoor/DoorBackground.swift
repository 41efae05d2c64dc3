import Coordinator
import ImgproxyURLs
import TintypeCore
import TintypeImages
import TintypeTransport

/// The work of the picture door that no client waits for: better pictures behind quick ones, or pictures of clients that come back for them.
///
/// Its receipts are detached, so they go on when all clients leave, and when this coordinator stops.
@Loop
final class DoorBackground {
    /// The reason of the work, as a label of metrics.
    enum Kind: String, Sendable, CaseIterable {
        /// A quick picture was shown in place of it.
        case better
        /// A client asked for it by `Prefer: respond-async`.
        case async

        /// The number of pieces that may be under way at this coordinator.
        var most: Int {
            switch self {
            case .better: 16
            case .async: 64
            }
        }

        /// Whether one client has only a share of the places, because a client without a place is refused.
        var isShared: Bool {
            switch self {
            case .better: false
            case .async: true
            }
        }
    }

    /// Takes the end of `image.load`; nil if the coordinator stops first.
    typealias Taker = @Loop (Result<ImageResult, TintypeError>?) -> Void

    /// Takes the answer of one piece of work.
    private final class Work: AnswerSink {
        let session: Session
        /// The place of the work in the trace of the request that has begun it.
        let trace: RequestTrace?
        private let take: Taker

        init(_ session: Session, _ trace: RequestTrace?, _ take: @escaping Taker) { (self.session, self.trace, self.take) = (session, trace, take) }

        let takesValues = true
        func answered(_: [UInt8]) {}
        func ended(_ end: Result<ImageResult, TintypeError>?) { take(end) }
    }

    private let kind: Kind
    private var jobs: BackgroundJobs
    private var works: [String: Work] = [:]
    private let admission: Admission
    private let receipts: ReceiptTable
    private let tracer: (any Tracer)?
    private let metrics: Metrics
    private let logger: Logger

    init(_ kind: Kind, _ core: Core) {
        (self.kind, jobs) = (kind, BackgroundJobs(most: kind.most, isShared: kind.isShared))
        (admission, receipts, tracer) = (core.admission, core.receipts.table, core.process.tracer)
        (metrics, logger) = (core.process.metrics, core.process.logger)
    }

    /// Returns the state of the work for a result.
    func standing(of key: String) -> BackgroundJobs.Standing { jobs.standing(of: key, at: Seconds.monotonic) }

    /// Records that the work for a result would bring nothing new for so many seconds.
    private func dismiss(_ key: String, for seconds: Double) { jobs.dismiss(key, for: seconds, at: Seconds.monotonic) }

    /// Begins the work for a result, unless it is under way, rests, or finds no room.
    /// - Parameters:
    ///   - request: The parameters of `image.load`, detached (`DoorPlan.unattended`).
    ///   - peer: The client that caused it. The work uses that client's part of the limits.
    ///   - trace: The place of the request that asks for it in a trace. Requests that find it under way are linked.
    ///   - queued: Called once if Redis has the work, and it did not end at once.
    ///   - ended: Called once, perhaps before this function returns.
    func begin(
        _ request: JSONObject, for key: String, peer: ConnectionPeer, trace: TraceContext? = nil, queued: @escaping @Loop () -> Void = {},
        ended: @escaping Taker = { _ in }
    ) -> BackgroundJobs.Verdict {
        let verdict = jobs.begin(key, for: peer.network ?? "", at: Seconds.monotonic)
        guard verdict == .begins else {
            if verdict == .joins, let trace, trace.isSampled { works[key]?.trace?.span?.link(trace) }
            return verdict
        }
        let session = Session(peer: "images", ownsReceipts: false, address: peer.address, send: nil)
        let place = trace.map { RequestTrace($0, tracer?.begin("\(kind.rawValue) picture", .internal, for: $0), tracer) }
        let work = Work(session, place, ended)
        works[key] = work
        sample()
        let call = Call(session: session, id: 1, method: "image.load", sink: work) { [weak self] call, error in self?.end(key, call, error) }
        call.trace = place
        session.began(call)
        TraceContext.within(place?.context) {
            do throws(TintypeError) {
                try admission.load(call, admission.plan(.object(request), session)) { answer in if answer.outcome == nil { queued() } }
            } catch {
                call.fail(error)
            }
        }
        return verdict
    }

    /// Begins the better picture behind a quick one that is shown, and returns what is known of it; nil if it would bring nothing new.
    /// - Parameters:
    ///   - picture: The quick picture.
    ///   - wanted: The plan of the better one.
    func follow(
        _ picture: DoorHeaders.Picture, by wanted: AdmissionPlan, of plan: DoorPlan, peer: ConnectionPeer, trace: TraceContext?
    ) -> FollowUp? {
        guard let key = wanted.outputs.first?.digest, let quick = plan.quick, standing(of: key) != .needless else { return nil }
        let fresh = (picture.end ?? .infinity) - WallClock.now
        // Animations stay in the quick format, and a short-lived picture would be stale before the better one is shown.
        guard fresh > DoorLifetime.quick, picture.frames ?? 1 == 1, picture.contentType != quick.next.contentType else {
            if fresh > 0 { dismiss(key, for: fresh) }
            return nil
        }
        let request = DoorPlan.unattended(plan.request, priority: DoorPlan.priority(behind: wanted.request.priority))
        let verdict = begin(request, for: key, peer: peer, trace: trace)
        metrics.add(.doorQuick, labels: FollowUp.label(verdict))
        return FollowUp(verdict, quick.next)
    }

    private func end(_ key: String, _ call: Call, _ error: ErrorName?) {
        let isOurs = works.removeValue(forKey: key) != nil
        call.trace?.end(failure: isOurs ? error?.rawValue : "the coordinator stops")
        // After `close`, the work goes on elsewhere.
        guard isOurs else { return }
        jobs.end(key, BackgroundJobs.Ending(error), at: Seconds.monotonic)
        sample()
        metrics.add(.doorBackground, labels: kind.rawValue, error == nil ? "made" : "failed")
        guard let error else { return }
        TraceContext.within(call.trace?.context) {
            logger.debug(
                "work of the picture door failed that no client waits for",
                ["kind": kind.rawValue, "key": key, "name": error.rawValue, "error": call.session.failure?.message ?? ""])
        }
    }

    private func sample() { metrics.set(.doorBackgroundRunning, Double(works.count), labels: kind.rawValue) }

    /// Leaves all work to other coordinators.
    func close() {
        let left = works.values
        works = [:]
        for work in left { work.session.end(receipts) }
        sample()
    }
}

/// The better picture that may follow a quick one.
enum FollowUp: Sendable, Hashable {
    /// It is being made, in this format or in the one that suits the picture.
    case comes(ImageFormat)
    /// Too many are being made. A later request begins it.
    case dropped
    /// It is not begun for so many seconds, because it failed or has just ended.
    case rests(Double)

    /// The most seconds for which a cache may show the quick picture.
    var seconds: Double {
        switch self {
        case .comes, .dropped: DoorLifetime.quick
        case .rests(let seconds): max(DoorLifetime.quick, seconds)
        }
    }

    /// The label of metrics.
    static func label(_ verdict: BackgroundJobs.Verdict) -> String {
        switch verdict {
        case .begins: "begun"
        case .joins: "joined"
        case .rests: "rests"
        case .noRoom: "dropped"
        }
    }

    init(_ verdict: BackgroundJobs.Verdict, _ format: ImageFormat) {
        self =
            switch verdict {
            case .begins, .joins: .comes(format)
            case .rests(let seconds): .rests(seconds)
            case .noRoom: .dropped
            }
    }
}
