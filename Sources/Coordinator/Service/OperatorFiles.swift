import TintypeCore
import TintypeImages
import TintypeSettings
import TintypeTransport

/// The files of the operator that are read again while the coordinator runs: rules, tokens, certificates, and those of features.
@Loop
final class OperatorFiles {
    private let core: Core
    private let server: RPCServer
    private let features: [Feature]
    private let rules: String?
    private let tokens: String?
    /// The certificates of all ports; nil if they speak no TLS.
    private let certificates: TLSCertificates?
    /// Reloads that were requested and are not done.
    private var reloads = 0

    init(_ core: Core, _ server: RPCServer, _ features: [Feature], rules: String?, tokens: String?, certificates: TLSCertificates?) {
        (self.core, self.server, self.features) = (core, server, features)
        (self.rules, self.tokens, self.certificates) = (rules, tokens, certificates)
    }

    /// Ends the timers of certificates.
    func stop() { certificates?.stop() }

    /// Reads the files again. A mistake in a file is logged, and what was in use stays in use.
    func reload() async {
        certificates?.reload()
        reloads += 1
        // Reloads run one after the other, so that the last read wins.
        guard reloads == 1 else { return }
        while reloads > 0 {
            let asked = reloads
            if let rules { await readRules(rules) }
            if let tokens { await readTokens(tokens) }
            for feature in features { await feature.reload() }
            reloads -= asked
        }
    }

    private func readTokens(_ path: String) async {
        do {
            core.access.control.tokens = try await core.process.files.run { try AccessTokens.read(path) }
            server.expel(core.access.control)
            for feature in features { feature.expel() }
            core.process.logger.notice("tokens read", ["file": path])
        } catch {
            core.process.logger.error("the tokens cannot be used; the old tokens stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }

    private func readRules(_ path: String) async {
        do {
            let permissions = core.admission.permissions
            let rules = try await core.process.files.run {
                try Rules.read(path) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
            }
            core.admission.rules = rules
            core.queues.defaults.publish()
            core.process.logger.notice("rules read", ["file": path, "rules": rules.count])
        } catch {
            core.process.logger.error("the rules cannot be used; the old rules stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }
}
