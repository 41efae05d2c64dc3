import TintypeContracts
import TintypeCore
import TintypeSettings

/// The settings, checked as the servers check them at their start. A value.
struct SettingsFacts: Sendable {
    /// The mistakes in values, and unknown names.
    let mistakes: [String]
    /// Settings that exclude or need each other.
    let conflicts: [String]
    let given: Int
    let file: String?
    /// The flags of this command line with a password in their values.
    let visiblePasswords: [String]

    var findings: [Finding] {
        var findings = mistakes.map { Finding.fail("settings", $0, "correct it: no server starts with it") }
        findings += conflicts.map { .fail("settings", $0, "no server starts so") }
        if !visiblePasswords.isEmpty {
            findings.append(
                .warn(
                    "settings", "a password is in the value of \(visiblePasswords.joined(separator: ", "))",
                    "every user sees command lines: use the environment, --config or --redis-password-file"))
        }
        guard findings.isEmpty else { return findings }
        return [.ok("settings", "\(given) given" + (file.map { ", some perhaps in \($0)" } ?? "") + ", the others have their defaults")]
    }
}

/// The settings that `tintype doctor` checks: those of the coordinators and of the workers of one service.
struct DoctorSettings: SettingsGroup {
    var common = SharedSettings()
    var coordinator = CoordinatorConfiguration()
    var worker = WorkerConfiguration()

    static let program = "tintype doctor"
    static let summary = "Checks the settings of coordinators and workers, and what they need: Redis, stores, codecs, limits, clock, files."

    static var settings: [Setting<DoctorSettings>] {
        var all = CoordinatorConfiguration.own.map { $0.lifted(\DoctorSettings.coordinator) }
        // Both programs have a setting of this name.
        all += WorkerConfiguration.own.filter { $0.flag != "http" }.map { $0.lifted(\.worker) }
        return all + SharedSettings.settings.map { $0.lifted(\.common) }
    }

    /// Reads the passwords into the URLs, as the servers do, and gives both servers the shared settings.
    /// - Returns: what does not go together.
    mutating func prepare() -> [String] {
        var conflicts: [String] = []
        func note(_ check: () throws(SettingError) -> Void) {
            do throws(SettingError) { try check() } catch { if !conflicts.contains(error.message) { conflicts.append(error.message) } }
        }
        var common = common
        note { () throws(SettingError) in try common.takeRedisPassword() }
        note { () throws(SettingError) in _ = try common.tlsFiles() }
        note { () throws(SettingError) in try coordinator.checkExposure() }
        for mistake in coordinator.mistakes { note { () throws(SettingError) in throw mistake } }
        (self.common, coordinator.core.common, worker.core.common) = (common, common, common)
        return conflicts
    }
}
