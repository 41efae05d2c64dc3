package import TintypeCore
package import TintypeSettings
package import TintypeStores
package import TintypeTransport

extension SettingsGroup {
    package static var family: Set<String> { everyProgram }
}

/// One environment or file can serve all programs. `tintype up` has the settings of both servers.
private let everyProgram = Set(UpSettings.settings.flatMap { [$0.variable, $0.fileKey] } + ["TINTYPE_COORDINATOR", "TINTYPE_CONFIG", "TINTYPE_TLS_CA"])

/// The settings of `tintype-coordinator`: those of its core and of each feature.
package struct CoordinatorConfiguration: SettingsGroup {
    package var core = CoordinatorSettings()
    package var activity = ActivitySettings()
    package var callbacks = CallbackSettings()
    package var groups = GroupSettings()
    package var pictureDoor = PictureDoorSettings()
    package var uploads = UploadSettings()

    package init() {}

    package static let program = "tintype-coordinator"
    package static let summary = "Accepts requests for images, queues them in Redis, and sends progress and results."

    package static var settings: [Setting<CoordinatorConfiguration>] { own + SharedSettings.settings.map { $0.lifted(\.core.common) } }

    /// The settings that workers do not have, in the order of `--help`. Behind one flag, those that are added later stand first.
    package static var own: [Setting<CoordinatorConfiguration>] {
        CoordinatorSettings.settings.map { $0.lifted(\.core) }
            .adding(PictureDoorSettings.settings, at: \.pictureDoor, behind: "http")
            .adding(ActivitySettings.settings, at: \.activity, behind: "max-connections-per-address")
            .adding(CallbackSettings.settings, at: \.callbacks, behind: "max-connections-per-address")
            .adding(GroupSettings.settings, at: \.groups, behind: "max-connections-per-address")
            .adding(UploadSettings.settings, at: \.uploads, behind: "max-connections-per-address")
    }

    /// The ports of features: the flag, by which the line `ready` names the port too, and the address.
    package static let ports: [(flag: String, address: any WritableKeyPath<CoordinatorConfiguration, SocketAddress?> & Sendable)] = [
        ("images", \.pictureDoor.address)
    ]

    /// The files of features with secrets, by their flags.
    package var secretFiles: [(flag: String, path: String?)] {
        [
            ("images-keys", pictureDoor.keys),
            ("purge-webhook-secret-file", callbacks.purgeSecretFile),
        ]
    }

    /// - Throws: `SettingError` if other machines could reach a port without a right, and no setting allows this.
    package func checkExposure() throws(SettingError) {
        try pictureDoor.checkExposure(isOpen: core.isOpen)
        try core.checkExposure()
    }

    /// The mistakes in several settings of a feature together, of each feature the first. Reads files.
    package var mistakes: [SettingError] {
        func mistake(_ check: () throws(SettingError) -> Void) -> SettingError? {
            do throws(SettingError) { try check() } catch { return error }
            return nil
        }
        return [
            mistake { () throws(SettingError) in _ = try callbacks.purgeTarget() },
            mistake { () throws(SettingError) in _ = try pictureDoor.open() },
        ].compactMap { $0 }
    }
}

/// The settings of `tintype-worker`: those of its core and of each feature.
package struct WorkerConfiguration: SettingsGroup {
    package var core = WorkerSettings()
    package var saving = SavingSettings()

    package init() {}

    package static let program = "tintype-worker"
    package static let summary = "Downloads images from the queue, transforms them and stores the results."

    package static var settings: [Setting<WorkerConfiguration>] { own + SharedSettings.settings.map { $0.lifted(\.core.common) } }

    /// The settings that coordinators do not have, in the order of `--help`.
    package static var own: [Setting<WorkerConfiguration>] {
        WorkerSettings.settings.map { $0.lifted(\.core) }
            .adding(SavingSettings.settings, at: \.saving, behind: "tls-authorities")
    }

    /// The places where features write files, a line for each feature.
    package var places: [PlaceAddress] {
        []
            + saving.places
    }
}
