package import TintypeCore
import TintypeTransport

/// The settings of `tintype up`: those of the servers it starts, and its own.
package struct UpSettings: ProgramSettings {
    /// Its `redis` is not used: see `redis`.
    package var common = SharedSettings()
    package var coordinator = CoordinatorSettings()
    package var worker = WorkerSettings()
    /// A Redis that is there already; nil starts a private one.
    package var redis: String?
    /// Bytes the private Redis may hold; nil: a quarter of the machine's memory.
    package var redisMemory: Int?
    package var workers = 2
    /// The folder of the private Redis and the results; nil: below the user's state folder.
    package var data: String?

    package init() {}

    /// Puts the password of `--redis-password-file` into the URL of `--redis`.
    /// - Throws: `SettingMistake`, also where a private Redis is started, which has none.
    package mutating func takeRedisPassword() throws(SettingMistake) {
        guard common.redisPasswordFile != nil else { return }
        guard let redis else { throw SettingMistake("--redis-password-file goes with --redis: the private Redis has no password") }
        common.redis = redis
        try common.takeRedisPassword()
        self.redis = common.redis
    }

    package static let program = "tintype up"
    package static let summary = "Starts everything on this machine: a private Redis, a coordinator and workers, and stops them together."

    package static var settings: [Setting<UpSettings>] {
        var all: [Setting<UpSettings>] = [
            Setting("workers", \.workers, .count(1...64), help: "Worker processes."),
            Setting(
                "data", optional: \.data, .path, defaultNote: "tintype below $XDG_STATE_HOME or ~/.local/state",
                help: "The folder of the private Redis and of the results."),
            Setting(
                "redis", optional: \.redis, .redisURL,
                defaultNote: "a private Redis", help: "Uses this Redis instead of starting a private one."),
            Setting(
                "redis-memory", optional: \.redisMemory, .size(atLeast: 16 << 20), defaultNote: "a quarter of the machine's memory",
                help: "Bytes that the private Redis may hold. New requests are refused before that, what is accepted is never thrown away."),
        ]
        all += CoordinatorSettings.own.map { $0.lifted(\.coordinator) }
        all += WorkerSettings.own.filter { $0.flag != "http" }.map { $0.lifted(\.worker) }
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
