import Console
import Glibc
import TintypeCore
import TintypeTransport

/// The running `tintype top`: keys and answers go into the model, frames go to the terminal. Lives on the loop.
@Loop
final class TopScreen {
    private nonisolated static let interval = Duration.seconds(1)
    /// The time after which a round without an answer is called old.
    private nonisolated static let patience = Duration.seconds(3)
    /// The time in which the rest of a key's sequence comes. Behind a slow line it may take longer than from a terminal beside us.
    private nonisolated static let keyPause = Duration.milliseconds(60)

    private let feed: TopFeed
    private let terminal = Terminal()
    private let colors: ScreenColors
    private let scope = TaskScope()
    private let left = OneShot<Int32>()
    private var model: TopModel
    private var shown: Frame?
    private var keys = KeyReader()
    private var keyTimer: LoopTimer?
    private var stops: SignalWatch?
    /// When the round that is under way began.
    private var began: ContinuousClock.Instant?
    private var isAskedAgain = false

    init(_ feed: TopFeed, _ model: TopModel, _ colors: ScreenColors) {
        (self.feed, self.model, self.colors) = (feed, model, colors)
        feed.onEvent = { [weak self] event in self?.model.snapshot.add(event: event) }
    }

    /// Shows the service until a key leaves, the terminal goes, or a signal comes. The terminal is as it was afterwards.
    /// - Returns: the exit status. After a signal it does not return, so that the parent process sees the signal.
    func run() async -> Int32 {
        // By its default action, SIGQUIT would leave the terminal raw.
        let interruption = Interruption([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        terminal.enter()
        let timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() }
        let typing = DescriptorWatch(STDIN_FILENO, .read) { [weak self] _ in self?.typed() }
        let resized = SignalWatch(SIGWINCH) { [weak self] in self?.drawAnew() }
        let continued = SignalWatch(SIGCONT) { [weak self] in self?.resume() }
        watchStops()
        scope.run("signal") { [left] in if await interruption.comes() { left.complete(.success(0)) } }
        draw()
        // The tab may need more than the first round has brought.
        refresh()
        let status = (try? await left.wait()) ?? 1
        for watch in [resized, continued] { watch.cancel() }
        typing.cancel()
        timer.cancel()
        (keyTimer, stops) = (nil, nil)
        scope.cancelAll()
        terminal.leave()
        if interruption.hasCome { interruption.end() }
        return status
    }

    private func tick() {
        if let began, began + Self.patience < .now, model.link == .live {
            model.link = .troubled("the coordinator does not answer")
        }
        refresh()
        draw()
    }

    // MARK: Answers

    private func refresh() {
        guard began == nil else { return }
        began = .now
        scope.run("refresh") { [weak self] in await self?.round() }
    }

    private func round() async {
        do {
            model.snapshot.take(try await feed.read([model.tab], after: model.snapshot.lastPoint))
            model.link = .live
        } catch {
            failed(error)
        }
        began = nil
        if isAskedAgain {
            isAskedAgain = false
            refresh()
        }
        draw()
    }

    private func failed(_ error: any Error) {
        if case ClientFailure.refused(let refusal) = error, refusal.name != .unauthenticated {
            model.link = .troubled(refusal.message)
            return
        }
        feed.drop()
        let reason =
            switch error {
            case ClientFailure.unreachable(_, let reason), ClientFailure.lost(let reason): reason
            case ClientFailure.refused(let refusal): refusal.message
            case let error as UsageError: error.mistakes.joined(separator: "; ")
            default: "\(error)"
            }
        if case .away(_, let since) = model.link { model.link = .away(reason, since: since) } else { model.link = .away(reason, since: WallClock.now) }
    }

    private func act(_ method: String, _ params: JSON, done: String) {
        model.notice = .init(text: "the coordinator is asked", isBad: false)
        scope.run(method) { [weak self, feed] in
            do {
                let answer = try await feed.call(method, params)
                self?.model.notice = .init(answer, done: done)
            } catch {
                let text = if case ClientFailure.refused(let refusal) = error { refusal.message } else { "nothing was done: \(error)" }
                self?.model.notice = .init(text: text, isBad: true)
            }
            self?.look()
            self?.draw()
        }
    }

    /// Asks at once, or as soon as the round under way is over.
    private func look() {
        if began == nil { refresh() } else { isAskedAgain = true }
    }

    // MARK: Keys

    private func typed() {
        guard let bytes = terminal.read() else { return end(1) }
        keyTimer = nil
        for key in keys.take(bytes) { take(key) }
        if keys.isWaiting {
            keyTimer = LoopTimer(after: Self.keyPause) { [weak self] in
                guard let self else { return }
                for key in keys.flush() { take(key) }
                draw()
            }
        }
        draw()
    }

    private func take(_ key: Key) {
        switch model.take(key, now: WallClock.now) {
        case nil: break
        case .leave: end(0)
        case .redraw: shown = nil
        case .look: look()
        case .suspend: suspend()
        case .call(let method, let params, let done): act(method, params, done: done)
        }
    }

    private func end(_ status: Int32) { left.complete(.success(status)) }

    /// Stops like any program at Ctrl-Z. The shell continues it by `fg`.
    private func suspend() {
        // Without its watch, the signal has its default action. SIGSTOP would stop a process that no shell can continue.
        // The watch itself may call this, so that it lives on.
        stops?.cancel()
        terminal.leave()
        raise(SIGTSTP)
        watchStops()
        resume()
    }

    /// Gives the terminal back before a SIGTSTP from outside stops this process.
    private func watchStops() {
        guard !SignalWatch.isIgnored(SIGTSTP) else { return }
        stops = SignalWatch(SIGTSTP) { [weak self] in self?.suspend() }
    }

    /// After SIGSTOP nothing was given back, and the shell has set its own modes.
    private func resume() {
        guard !left.isComplete else { return }
        terminal.enter()
        drawAnew()
    }

    // MARK: Frames

    private func drawAnew() {
        shown = nil
        draw()
    }

    private func draw() {
        guard !left.isComplete else { return }
        let frame = TopLayout.frame(model, ScreenSize(of: STDOUT_FILENO), now: WallClock.now)
        guard terminal.write(frame.changes(from: shown, colors)) else { return end(1) }
        shown = frame
    }
}
