package import Coordinator
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
    /// The features of this build. Without its line here, a coordinator does without the feature.
    @Loop package static let all: [Maker] = [
        groups,
        callbacks,
        activity,
        history,
        streams,
        uploads,
        purges,
        validation,
        scaling,
        dashboard,
        pictureDoor,
    ]
}

/// The features of this build that take spans. The first that the environment asks for has them all.
package let tracers: [TracerMaker] = [
    tracing
]
