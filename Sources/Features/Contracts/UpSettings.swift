package import TintypeCore
package import TintypeSettings
import TintypeTransport

/// The settings of `tintype up`: the settings of the servers that it starts, and its own.
package struct UpSettings: SettingsGroup {
    /// The shared settings. Their `redis` is not used: see `redis`.
    package var common = SharedSettings()
    package var coordinator = CoordinatorConfiguration()
    package var worker = WorkerConfiguration()
    /// An existing Redis; nil starts a private one.
    package var redis: String?
    /// The most bytes of the private Redis; nil: a quarter of the machine's memory.
    package var redisMemory: Int?
    package var workers = 2
    /// The folder of the private Redis and the results; nil: below the user's state folder.
    package var data: String?

    package init() {}

    /// Puts the passwords of `--redis-password-file` and `--sentinel-password-file` into the URL of `--redis`.
    /// - Throws: `SettingError`, also for a private Redis, which has no password.
    package mutating func takeRedisPassword() throws(SettingError) {
        guard common.redisPasswordFile != nil || common.sentinelPasswordFile != nil else { return }
        guard let redis else {
            throw SettingError("--redis-password-file and --sentinel-password-file need --redis: the private Redis has no password, and no sentinels")
        }
        common.redis = redis
        try common.takeRedisPassword()
        self.redis = common.redis
    }

    package static let program = "tintype up"
    package static let summary = "Starts a private Redis, a coordinator and workers on this machine, and stops them together."

    package static var settings: [Setting<UpSettings>] {
        var all: [Setting<UpSettings>] = [
            Setting("workers", \.workers, .count(1...64), help: "Worker processes."),
            Setting(
                "data", optional: \.data, .path, defaultNote: "tintype below $XDG_STATE_HOME or ~/.local/state",
                help: "The folder of the private Redis and of the results."),
            Setting(
                "redis", optional: \.redis, .redisURL,
                defaultNote: "a private Redis", help: "An existing Redis to use instead of a private one."),
            Setting(
                "redis-memory", optional: \.redisMemory, .size(atLeast: 16 << 20), defaultNote: "a quarter of the machine's memory",
                help: "The most bytes of the private Redis. New requests are refused before the limit is reached; accepted work is never dropped."),
        ]
        all += CoordinatorConfiguration.own.map { $0.lifted(\.coordinator) }
        all += WorkerConfiguration.own.filter { $0.flag != "http" }.map { $0.lifted(\.worker) }
        all += SharedSettings.settings.filter { $0.flag != "redis" }.map { $0.lifted(\.common) }
        return all.map { setting in
            switch setting.flag {
            case "results": setting.noting(default: "files below --data")
            case "log-level": setting.noting(default: "info; warning on a terminal")
            default: setting
            }
        }
    }
}
