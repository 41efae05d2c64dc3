import TintypeTransport
import TintypeQueue

/// The request of a receipt, in three forms of decreasing size.
enum StoredSubmission: Sendable {
    /// Only Redis knows the request.
    case found(Found)
    case made(SubmissionForms.Form)
    case packed(PackedSubmission)

    /// A class of its own, so that receipts do not pay for its size.
    final class Found: Sendable {
        package let use: ResultUse
        init(_ use: ResultUse) { self.use = use }
    }

    /// - Parameter submission: nil if only Redis knows the request.
    init(_ submission: Submission?, _ use: ResultUse) {
        self = submission.map { .made(SubmissionForms.Form($0, use)) } ?? .found(Found(use))
    }

    /// Keeps the submission in less memory, because it is needed only if Redis loses the receipt.
    @Loop
    mutating func pack(_ forms: SubmissionForms) {
        if case .made(let stored) = self { self = .packed(PackedSubmission(stored.submission, stored.use, forms: forms)) }
    }

    var use: ResultUse {
        switch self {
        case .found(let stored): stored.use
        case .made(let stored): stored.use
        case .packed(let stored): stored.use
        }
    }

    /// Returns the submission to repeat if Redis loses the receipt; nil for a receipt that another coordinator submitted.
    /// - Parameters:
    ///   - receipt: Its id.
    ///   - meta: The same as in its submission.
    func submission(receipt: String, meta: String) -> Submission? {
        switch self {
        case .found: nil
        case .made(let stored): stored.submission
        case .packed(let stored): stored.submission(receipt: receipt, meta: meta)
        }
    }

    /// The number of requested renditions with a name; nil for a receipt that another coordinator submitted.
    var namedRenditions: Int? {
        let submission: Submission? =
            switch self {
            case .found: nil
            case .made(let stored): stored.submission
            case .packed(let stored): stored.common
            }
        return submission.map { $0.renditions.count { !$0.name.isEmpty } }
    }

    var owesCallback: Bool {
        switch self {
        case .found: false
        case .made(let stored): stored.submission.callback != nil
        case .packed(let stored): stored.hasCallback
        }
    }
}
