import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeTransport

/// One request at the picture door that `MemoryHits` does not answer by the plan alone, until its answer. A picture that is not kept goes the way of
/// `image.load`, and its work is withdrawn when the client goes.
///
/// With a quick picture in the plan, the better one is looked for first, in memory and in the index. Then comes the quick one, from memory or by work.
/// The better one is begun when the quick one is shown.
@Loop
final class PictureRequestHandler: AnswerSink {
    /// The parts of the coordinator that a visit uses.
    struct Tools {
        let work: DoorWork
        let kept: MemoryHits
        let sender: ImageSender
        let headers: DoorHeaders
        let scope: TaskScope
        let logger: Logger
    }

    private let tools: Tools
    private let picture: PlannedPicture
    private var plan: DoorPlan { picture.plan }
    private let session: Session
    private let asked: ImageConditions
    /// Whether the body is sent at all.
    private let isWanted: Bool
    private let showsPictures: Bool
    /// Whether the client comes back for a picture that is not there yet.
    private let prefersAsync: Bool
    private let peer: ConnectionPeer
    /// The path with all that follows, as it was sent.
    private let location: String
    private let end: @Loop (DoorOutcome, WebAnswer?) -> Void
    /// The plan of the picture that is shown.
    private var admitted: AdmissionPlan?
    /// The plan of the better picture, while a quick one is shown.
    private var wanted: AdmissionPlan?
    /// The decision about the better picture, once it is made.
    private var next: FollowUp?
    private var isOver = false
    /// Whether its picture counts as one that its address has had made.
    private var isCharged = false
    /// Whether the picture was made, and then was nowhere.
    private var wasLost = false

    /// - Parameters:
    ///   - trace: The place of the request in a trace.
    ///   - end: Called once, with nil if the client has gone.
    init(
        _ exchange: HTTPExchange, _ picture: PlannedPicture, _ trace: TraceContext?, _ tools: Tools, _ end: @escaping @Loop (DoorOutcome, WebAnswer?) -> Void
    ) {
        (self.tools, self.picture, self.end) = (tools, picture, end)
        session = Session(exchange, peer: "images")
        session.trace = trace
        (asked, isWanted) = (ImageConditions(exchange, isDated: picture.plan.isDated), exchange.method != "HEAD")
        showsPictures = DoorFailure.showsPictures(exchange.list("Accept"))
        (prefersAsync, peer) = (Preference.isAsync(exchange.list("Prefer")), exchange.peer)
        location = String(decoding: exchange.target, as: UTF8.self)
        exchange.onClosed = { [self] in leave() }
    }

    func begin() {
        do throws(TintypeError) {
            let best = try picture.request(tools.work.admission, session)
            if let answer = known(best, of: picture) { return deliver(.hit, answer) }
            guard let quick = plan.quick, let key = best.outputs.first?.digest, best.readsResults, best.writesResults else { return obtain(best) }
            let first = try tools.work.admission.plan(.object(quick.request), session)
            switch tools.work.better.standing(of: key) {
            // The index has no more than this coordinator knows.
            case .underWay, .failed, .needless: show(first, before: best)
            case .unknown, .made:
                tools.scope.run("look for a better picture") { [self] in
                    let isThere = (try? await tools.work.admission.isIndexed(best)) ?? false
                    guard !isOver else { return }
                    if isThere { obtain(best) } else { show(first, before: best) }
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Shows the quick picture.
    private func show(_ first: AdmissionPlan, before best: AdmissionPlan) {
        wanted = best
        if let answer = known(first) { return deliver(.hit, answer) }
        obtain(first)
    }

    /// Returns the answer with a picture that is fresh in memory, if its bytes are there too, or if the client has them.
    /// - Parameter planned: The plan whose lines it has; nil for a quick picture.
    private func known(_ admitted: AdmissionPlan, of planned: PlannedPicture? = nil) -> WebAnswer? {
        guard let lookup = MemoryLookup(admitted), let entry = tools.kept.entry(lookup) else { return nil }
        let answer =
            if let planned {
                tools.sender.atOnce(entry, asked, isWanted: isWanted) { tools.kept.lines(planned, $0, $1) }
            } else {
                tools.sender.atOnce(entry, asked, isWanted: isWanted, lines(.memory))
            }
        guard let shown = answer ?? unchanged(entry.rendition, source: try? JSON(parsing: entry.source), .memory) else { return nil }
        tools.kept.countHit()
        return shown
    }

    /// Gets a picture that is not in memory. It counts as one that has to be made, unless another request has it made already, or the index has it.
    private func obtain(_ admitted: AdmissionPlan) {
        self.admitted = admitted
        do throws(TintypeError) {
            try charge(admitted)
            make(admitted)
        } catch {
            guard admitted.readsResults else { return fail(error) }
            tools.scope.run("look for a picture beyond a rate") { [self] in
                let isThere = (try? await tools.work.admission.isIndexed(admitted)) ?? false
                guard !isOver else { return }
                if isThere { make(admitted) } else { fail(error) }
            }
        }
    }

    /// Counts a picture for its address, unless it is counted, or another request has it made already.
    /// - Throws: `overloaded` if the address has too many made.
    private func charge(_ admitted: AdmissionPlan) throws(TintypeError) {
        if !isCharged { isCharged = try tools.work.charge(admitted, to: peer) }
    }

    /// Has a picture made, or found in the index.
    private func make(_ admitted: AdmissionPlan) {
        // Without the index a client would never find what it comes back for.
        guard prefersAsync, admitted.readsResults, admitted.writesResults, let key = admitted.outputs.first?.digest else { return load(admitted) }
        let request = DoorPlan.unattended(wanted == nil ? plan.request : plan.quick?.request ?? plan.request, priority: admitted.request.priority)
        let verdict = tools.work.async.begin(request, for: key, peer: peer, trace: session.trace) { [weak self] in
            self?.accept()
        } ended: { [weak self] in
            self?.ended($0 ?? .failure(.stopping))
        }
        switch verdict {
        case .begins: break
        case .joins: accept()
        // The work has ended, and the picture is not there: the client waits for the reason, or for a picture that no cache keeps.
        case .rests: load(admitted)
        case .noRoom: fail(TintypeError(.overloaded, .admission, "too many pictures are being made for clients that come back", details: ["retryAfter": 1]))
        }
    }

    /// Sends the client away until its picture is there.
    private func accept() { finish(.accepted, Preference.accepted(location, plan, tools.headers)) }

    private func load(_ admitted: AdmissionPlan) { tools.work.load(admitted, for: session, to: self) }

    let takesValues = true

    func answered(_: [UInt8]) {}

    /// Takes the end of `image.load`. It is nil if the client has gone.
    func ended(_ end: Result<ImageResult, TintypeError>?) {
        guard !isOver, let end else { return }
        let result: ImageResult
        switch end {
        case .success(let made): result = made
        case .failure(let error): return fail(error)
        }
        guard let rendition = result.renditions.first, let key = rendition.key else {
            return fail(TintypeError(.internalError, .deliver, "the result of the service has no picture"))
        }
        let work = DoorHeaders.Work(from: result.from ?? "remote", times: result.object["metrics"]?.object ?? JSONObject())
        if isCharged, [.kept, .hit].contains(DoorOutcome(from: work.from)) {
            tools.work.giveBack(to: peer)
            isCharged = false
        }
        if let answer = unchanged(rendition, source: result.source, work) { return finish(.unchanged, answer) }
        show(key, work)
    }

    /// Returns the conditions that count for a picture: a fallback has no date.
    private func conditions(_ work: DoorHeaders.Work) -> ImageConditions {
        var asked = asked
        if work.isFallback { asked.since = nil }
        return asked
    }

    /// Returns a 304 if the client has the picture, by the index alone.
    private func unchanged(_ rendition: ImageResult.Rendition, source: JSON?, _ work: DoorHeaders.Work) -> WebAnswer? {
        let asked = conditions(work)
        guard asked.match != nil || asked.since != nil, asked.required == nil, let picture = DoorHeaders.Picture(rendition, source: source),
            asked.know(picture.tag, lastModified: picture.lastModified)
        else { return nil }
        var answer = WebAnswer(status: 304, headers: [])
        answer.lines = tools.headers.lines(picture, plan, work, next: next(after: picture, work), hasBody: false, now: WallClock.now)
        return answer
    }

    private func lines(_ work: DoorHeaders.Work) -> ImageSender.Lines {
        { [self] served, choice in
            let picture = DoorHeaders.Picture(served)
            return tools.headers.lines(
                picture, plan, work, next: next(after: picture, work), hasBody: choice != .unchanged && choice != .unsatisfiable,
                mayBeKept: choice.mayBeKept, now: WallClock.now)
        }
    }

    /// Begins the better picture behind a quick one, and returns what is known of it; nil if the picture is the best one.
    private func next(after picture: DoorHeaders.Picture, _ work: DoorHeaders.Work) -> FollowUp? {
        guard let wanted, !work.isFallback else { return nil }
        if next == nil { next = tools.work.better.follow(picture, by: wanted, of: plan, peer: peer, trace: session.trace) }
        return next
    }

    private func show(_ key: String, _ work: DoorHeaders.Work) {
        let (outcome, asked) = (DoorOutcome(from: work.from), conditions(work))
        if let answer = tools.sender.atOnce(key, asked, isWanted: isWanted, lines(work)) { return deliver(outcome, answer) }
        tools.scope.run("picture \(key)") { [self] in
            do throws(TintypeError) {
                if let answer = try await tools.sender.read(key, asked, isWanted: isWanted, lines(work)) { deliver(outcome, answer) } else { miss(key) }
            } catch {
                fail(error)
            }
        }
    }

    /// Has a picture made again whose bytes are gone although the index has it, but only once.
    private func miss(_ key: String) {
        guard !wasLost, !isOver, let admitted else {
            return fail(TintypeError(.storeFailed, .deliver, "the picture is no longer in the result store: ask for it again"))
        }
        wasLost = true
        tools.kept.forget(key)
        // The index has the picture, so it was free of charge until here.
        do throws(TintypeError) {
            try charge(admitted)
            load(admitted)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: TintypeError) {
        let failure = DoorFailure(error, isUnsigned: !plan.isSigned, now: WallClock.now)
        // The answer does not tell the reason. A flood of strangers makes 404 and 503 without any work, so these are not logged by default.
        // The end of the work may come from anywhere.
        TraceContext.within(session.trace) {
            tools.logger.log(
                [500, 502, 504].contains(failure.status) ? .info : .debug, "the picture door has no picture",
                [
                    "url": RedactedURL(plan.request["url"]?.string ?? ""), "status": failure.status, "name": error.name.rawValue,
                    "phase": error.phase.rawValue, "error": error.message,
                ])
        }
        finish(
            failure.status == 400 || failure.status == 403 || error.ownLimitSeconds != nil ? .refused : .failed,
            failure.answer(asPicture: showsPictures, tools.headers))
    }

    /// Ends with an answer about a picture that is there.
    private func deliver(_ outcome: DoorOutcome, _ answer: WebAnswer) {
        switch answer.status {
        case 304: finish(.unchanged, answer)
        // Too many bytes are being sent at once.
        case 503: fail(TintypeError(.overloaded, .deliver, "too many bytes are being sent at once", details: ["retryAfter": 1]))
        case 412:
            var answer = answer
            answer.headers.append(("Cache-Control", "no-store"))
            finish(.refused, answer)
        default: finish(outcome, answer)
        }
    }

    private func finish(_ outcome: DoorOutcome, _ answer: WebAnswer) {
        guard !isOver else { return }
        isOver = true
        tools.work.calls.end(session)
        end(outcome, answer)
    }

    /// The client has gone: work that only it wanted is withdrawn.
    private func leave() {
        guard !isOver else { return }
        isOver = true
        tools.work.calls.end(session)
        end(.gone, nil)
    }
}
