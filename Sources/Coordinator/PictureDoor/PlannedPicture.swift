import TintypeCore
import TintypeDoor
import TintypeTransport

/// The plan of a URL at the picture door, with the parts that its requests share.
@Loop
final class PlannedPicture {
    let plan: DoorPlan
    /// The plan of its request, and the rules by which it was made.
    private var admitted: (plan: AdmissionPlan, rules: Int)?

    /// The lines of the picture in memory that was shown last, and the second that they are for. A picture that memory drops is not kept for them.
    private weak var served: ServedImage?
    private var second = -1.0
    private var whole = HeaderLines()
    private var unchanged = HeaderLines()

    init(_ plan: DoorPlan) { self.plan = plan }

    /// Returns the plan of its request by the current rules.
    /// - Throws: The mistakes of the request.
    func request(_ admission: Admission, _ session: Session) throws(TintypeError) -> AdmissionPlan {
        if let admitted, admitted.rules == admission.generation { return admitted.plan }
        let made = try admission.plan(.object(plan.request), session)
        admitted = (made, admission.generation)
        return made
    }

    /// Returns the lines of an answer with a picture of its memory. They are made once a second, since the time for which it is fresh counts down.
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - make: Makes the lines of an answer with or without a body.
    func lines(_ picture: ServedImage, hasBody: Bool, now: Double, make: (_ hasBody: Bool) -> HeaderLines) -> HeaderLines {
        if served !== picture || second != now.rounded(.down) {
            (served, second) = (picture, now.rounded(.down))
            (whole, unchanged) = (make(true), make(false))
        }
        return hasBody ? whole : unchanged
    }
}
