package import Coordinator
import TintypeTransport
import TintypeActivity
import TintypeCallbacks
import TintypeDashboard
import TintypeGroups
import TintypeHistory
import TintypePictureDoor
import TintypePurges
import TintypeScaling
import TintypeStreams
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
