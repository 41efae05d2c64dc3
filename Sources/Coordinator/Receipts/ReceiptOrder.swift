import TintypeTransport
import TintypeQueue

/// What was asked for with a receipt, in less and less memory.
enum ReceiptOrder: Sendable {
    /// Only Redis knows the request.
    case found(Found)
    case made(SubmissionForms.Form)
    case packed(PackedSubmission)

    /// Apart, so that no receipt pays for its size.
    final class Found: Sendable {
        let use: ResultUse
        init(_ use: ResultUse) { self.use = use }
    }

    /// - Parameter submission: nil if only Redis knows the request.
    init(_ submission: Submission?, _ use: ResultUse) {
        self = submission.map { .made(SubmissionForms.Form($0, use)) } ?? .found(Found(use))
    }

    /// Keeps what was submitted in less memory: it is needed only if Redis should lose it.
    @Loop
    mutating func pack(_ forms: SubmissionForms) {
        if case .made(let order) = self { self = .packed(PackedSubmission(order.submission, order.use, forms: forms)) }
    }

    /// What is done with its result.
    var use: ResultUse {
        switch self {
        case .found(let order): order.use
        case .made(let order): order.use
        case .packed(let order): order.use
        }
    }

    /// What to submit again should Redis lose it; nil for a receipt another coordinator submitted.
    /// - Parameters:
    ///   - receipt: its id.
    ///   - meta: as in its submission.
    func submission(receipt: String, meta: String) -> Submission? {
        switch self {
        case .found: nil
        case .made(let order): order.submission
        case .packed(let order): order.submission(receipt: receipt, meta: meta)
        }
    }

    /// How many renditions with a name were asked for; nil for a receipt another coordinator submitted.
    var namedRenditions: Int? {
        let submission: Submission? =
            switch self {
            case .found: nil
            case .made(let order): order.submission
            case .packed(let order): order.common
            }
        return submission.map { $0.renditions.count { !$0.name.isEmpty } }
    }

    /// Whether somebody is to be called at its end.
    var owesCallback: Bool {
        switch self {
        case .found: false
        case .made(let order): order.submission.callback != nil
        case .packed(let order): order.hasCallback
        }
    }
}
