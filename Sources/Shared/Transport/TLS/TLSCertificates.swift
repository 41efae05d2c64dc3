package import TintypeCore

/// The certificates of a server: reads them at start, at `reload`, and when their files change. Lives on the loop.
///
/// Open connections keep the certificates that they began with. Files that cannot be used change nothing: the old certificates stay in use, and an error is
/// logged.
@Loop
package final class TLSCertificates {
    /// The time between two checks of the files.
    package nonisolated static let interval = Duration.seconds(30)
    /// The time before the expiry of a certificate from which it is logged as a warning.
    private nonisolated static let notice = 14 * 86_400.0

    /// The context of new connections.
    package private(set) var context: TLSContext

    private let files: TLSServerFiles
    private let pool: BlockingPool
    private let metrics: Metrics
    private let logger: Logger
    private let scope = TaskScope()
    private var timer: LoopTimer?
    /// The files in use, as they were before they were read.
    private var seen: [FileIdentity?]
    /// The error of the last attempt, if it failed. The next checks try again, and do not log it again.
    private var complaint: String?
    private(set) var isReading = false
    private var isAskedAgain = false

    /// Reads the files. Blocks.
    /// - Parameters:
    ///   - pool: the threads that read the files later.
    ///   - interval: the time between two checks of the files.
    /// - Throws: `SettingError` for a file that cannot be used.
    package init(_ files: TLSServerFiles, pool: BlockingPool, metrics: Metrics, logger: Logger, interval: Duration = TLSCertificates.interval)
        throws(SettingError)
    {
        (self.files, self.pool, self.metrics, self.logger) = (files, pool, metrics, logger)
        seen = Self.identities(files)
        context = try TLSContext(files)
        timer = LoopTimer(after: interval, repeating: true) { [weak self] in self?.look() }
        used(context)
    }

    /// Returns the transport of a listener. A Unix socket has none: the permissions of its file guard it, and it has no host name to prove.
    /// - Parameter listener: the name of the listener in metrics and logs.
    package func transport(for address: SocketAddress, listener: String) -> any Transport {
        switch address {
        case .tcp: TLSServer(self, listener: listener, metrics: metrics)
        case .unix: PlainTransport()
        }
    }

    /// Reads the files again, whether or not they have changed.
    package func reload() { read(always: true) }

    /// Reads the files again if they have changed.
    func look() { read(always: false) }

    /// Ends the checks of the files.
    package func stop() {
        timer = nil
        scope.cancelAll()
    }

    private func read(always: Bool) {
        // The files may have changed after they were read, so a reload is not dropped.
        if isReading { return isAskedAgain = isAskedAgain || always }
        isReading = true
        scope.run("TLS certificates") { [self] in
            await readOnce(always: always)
            isReading = false
            guard isAskedAgain, timer != nil else { return }
            isAskedAgain = false
            read(always: true)
        }
    }

    private func readOnce(always: Bool) async {
        let (files, seen) = (files, seen)
        do {
            // The identities first: a change after them is found by the next check.
            let found = try await pool.run { () -> (identities: [FileIdentity?], context: Result<TLSContext, SettingError>)? in
                let identities = Self.identities(files)
                guard always || identities != seen else { return nil }
                return (identities, Result { () throws(SettingError) in try TLSContext(files) })
            }
            guard let found else { return complaint = nil }
            context = try found.context.get()
            (self.seen, complaint) = (found.identities, nil)
            used(context)
        } catch {
            // At the end of the process the threads may be gone.
            guard timer != nil else { return }
            let reason = (error as? SettingError)?.message ?? "\(error)"
            guard always || reason != complaint else { return }
            complaint = reason
            logger.error("the TLS certificates cannot be used; the old certificates stay in use", ["error": reason])
        }
    }

    private func used(_ context: TLSContext) {
        guard let expiry = context.expiry else { return }
        metrics.set(.tlsCertificateExpiry, expiry, labels: "server")
        let fields: KeyValuePairs<String, Logger.Value> = ["file": files.certificate, "expires": Timestamp(seconds: expiry)]
        switch expiry - WallClock.now {
        case ..<0: logger.error("the TLS certificate has expired: clients refuse it", fields)
        case ..<Self.notice: logger.warning("the TLS certificate expires soon", fields)
        default: logger.notice("TLS certificate in use", fields)
        }
    }

    private nonisolated static func identities(_ files: TLSServerFiles) -> [FileIdentity?] { files.paths.map { FileCalls.status($0)?.identity } }
}
