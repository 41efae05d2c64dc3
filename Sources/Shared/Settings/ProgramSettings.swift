package import TintypeCore

/// The settings of one of Tintype's programs. One environment or file can serve all programs.
package protocol ProgramSettings: SettingsGroup {}

extension ProgramSettings {
    package static var family: SettingNames { everyProgram }
}

private let everyProgram = SettingNames(
    variables: Set(
        CoordinatorSettings.settings.map(\.variable) + WorkerSettings.settings.map(\.variable)
            + UpSettings.settings.map(\.variable) + ["TINTYPE_COORDINATOR", "TINTYPE_CONFIG", "TINTYPE_TLS_CA"]),
    fileKeys: Set(CoordinatorSettings.settings.map(\.fileKey) + WorkerSettings.settings.map(\.fileKey) + UpSettings.settings.map(\.fileKey)))
