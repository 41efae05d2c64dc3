package import TintypeCore

/// The settings that `tintype doctor` checks: those of the coordinators and of the workers of one service.
package struct DoctorSettings: ProgramSettings {
    package var common = SharedSettings()
    package var coordinator = CoordinatorSettings()
    package var worker = WorkerSettings()

    package init() {}

    package static let program = "tintype doctor"
    package static let summary = "Checks the settings of coordinators and workers, and what they need: Redis, stores, codecs, limits, clock, files."

    package static var settings: [Setting<DoctorSettings>] {
        CoordinatorSettings.own.map { $0.lifted(\.coordinator) }
            // Both programs have a setting of this name.
            + WorkerSettings.own.filter { $0.flag != "http" }.map { $0.lifted(\.worker) } + SharedSettings.settings.map { $0.lifted(\.common) }
    }
}
