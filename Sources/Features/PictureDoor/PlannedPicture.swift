import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeTransport

/// The plan of a URL at the picture door, with the parts that its requests share.
@Loop
final class PlannedPicture {
    let plan: DoorPlan
    /// The plan of its request.
    private var admitted: AdmissionPlan?
    /// The question to memory for its picture; nil if memory may not answer.
    private var lookup: MemoryLookup?
    /// The number of changes of the rules at which both were made; -1 before.
    private var rules = -1

    /// The picture in memory that was shown last, its lines, and the second that they are for. A picture that memory drops is not kept for them.
    private var served: ServedImage.Mark?
    private var second = -1.0
    private var whole = HeaderLines()
    private var unchanged = HeaderLines()

    init(_ plan: DoorPlan) { self.plan = plan }

    /// Returns the plan of its request by the current rules.
    /// - Throws: The mistakes of the request.
    func request(_ admission: Admission, _ session: Session) throws(TintypeError) -> AdmissionPlan {
        if let admitted, rules == admission.generation { return admitted }
        let made = try admission.plan(.object(plan.request), session)
        (admitted, lookup, rules) = (made, MemoryLookup(made), admission.generation)
        return made
    }

    /// Returns the question to memory for its picture; nil if there is none, or if the rules have changed since the plan was made.
    /// - Parameter generation: The number of changes of the rules.
    func lookup(rules generation: Int) -> MemoryLookup? { rules == generation ? lookup : nil }

    /// Returns the lines of an answer with a picture of its memory. They are made once a second, since the time for which it is fresh counts down.
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - make: Makes the lines of an answer with or without a body.
    func lines(_ picture: ServedImage, hasBody: Bool, now: Double, make: (_ hasBody: Bool) -> HeaderLines) -> HeaderLines {
        if served !== picture.mark || second != now.rounded(.down) {
            (served, second) = (picture.mark, now.rounded(.down))
            (whole, unchanged) = (make(true), make(false))
        }
        return hasBody ? whole : unchanged
    }
}
