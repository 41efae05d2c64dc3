package import Coordinator
package import TintypeContracts
import TintypeSettings
package import TintypeTransport
import TintypeActivity
import TintypeCallbacks
import TintypeDashboard
import TintypeGroups
import TintypeHistory
import TintypePictureDoor
import TintypePurges
import TintypeScaling
import TintypeStreams
import TintypeTracing
import TintypeUploads
import TintypeValidation

extension Feature {
    /// The features of this build, each with its own settings. Without its line here, a coordinator does without the feature.
    @Loop package static func all(_ settings: CoordinatorConfiguration = CoordinatorConfiguration()) -> [Maker] {
        [
            { core, _ in groups(core, settings.groups) },
            { core, common in try callbacks(core, settings.callbacks, common.common.addressPolicy) },
            { core, _ in activity(core, settings.activity) },
            history,
            streams,
            { core, _ in uploads(core, settings.uploads) },
            purges,
            validation,
            scaling,
            dashboard,
            { core, common in try pictureDoor(core, settings.pictureDoor, common) },
        ]
    }
}

/// The features of this build that take spans. The first that the environment asks for has them all.
package let tracers: [TracerMaker] = [
    tracing
]
