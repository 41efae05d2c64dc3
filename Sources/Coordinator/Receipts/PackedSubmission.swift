import TintypeCore
import TintypeTransport
import TintypeQueue

/// A submission that Redis has, kept for the case that Redis loses it, in less memory than a `Submission`.
///
/// Values that many requests share are kept once (`SubmissionForms`). The remaining values are packed into one array of bytes, with digests at half
/// their length.
struct PackedSubmission: Sendable {
    private let form: SubmissionForms.Form
    private let words: [UInt8]

    /// - Parameter forms: The store of the shared values.
    @Loop
    init(_ submission: Submission, _ use: ResultUse, forms: SubmissionForms) {
        var common = submission
        var own = [submission.fingerprint, submission.source, submission.host, submission.fetch, submission.supersedeKey ?? "", submission.bare]
        for index in submission.renditions.indices {
            own.append(submission.renditions[index].digest)
            common.renditions[index].digest = ""
        }
        (common.receipt, common.fingerprint, common.source, common.host, common.fetch, common.meta, common.bare) = ("", "", "", "", "", "", "")
        // The caller of a later submit sets the time that is left.
        common.deadlineSeconds = 0
        if common.supersedeKey != nil { common.supersedeKey = "" }
        form = forms.form(common, use)
        words = PackedTexts.bytes(of: own)
    }

    var use: ResultUse { form.use }
    /// The submission without its own values.
    var common: Submission { form.submission }
    var hasCallback: Bool { form.submission.callback != nil }

    /// Returns the original submission, except for the seconds that are left.
    /// - Parameter meta: The same as in `PendingReceipt`.
    func submission(receipt: String, meta: String) -> Submission {
        var submission = form.submission
        let own = PackedTexts.words(in: words)
        (submission.receipt, submission.meta) = (receipt, meta)
        (submission.fingerprint, submission.source, submission.host, submission.fetch) = (own[0], own[1], own[2], own[3])
        if submission.supersedeKey != nil { submission.supersedeKey = own[4] }
        submission.bare = own[5]
        for index in submission.renditions.indices { submission.renditions[index].digest = own[6 + index] }
        return submission
    }
}

/// The shared values of many submissions, kept once.
@Loop
final class SubmissionForms {
    final class Form: Sendable {
        let submission: Submission
        let use: ResultUse

        init(_ submission: Submission, _ use: ResultUse) { (self.submission, self.use) = (submission, use) }
    }

    private struct Key: Hashable {
        let submission: Submission
        package let use: ResultUse
    }

    /// The most forms that are reused. Clients may use any number of forms, and a form that a receipt uses lives as long as the receipt.
    nonisolated static let most = 256
    private var forms: [Key: Form] = [:]

    nonisolated init() {}

    var count: Int { forms.count }

    func form(_ submission: Submission, _ use: ResultUse) -> Form {
        let key = Key(submission: submission, use: use)
        if let known = forms[key] { return known }
        if forms.count >= Self.most { forms = [:] }
        let form = Form(submission, use)
        forms[key] = form
        return form
    }
}

/// Texts in one array of bytes. Lower-case hex digits at the start of a text, as in digests, take half their length.
enum PackedTexts {
    /// Fewer digits than this are not worth a length of their own.
    private static let fewest = 16

    static func bytes(of words: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.reduce(0) { $0 + $1.utf8.count + 3 })
        for word in words {
            var word = word
            word.withUTF8 { text in
                let run = text.prefix { nibble($0) != nil }.count & ~1
                let digits = run >= fewest ? run : 0
                append((text.count - digits) << 1 | (digits > 0 ? 1 : 0), to: &bytes)
                if digits > 0 { append(digits / 2, to: &bytes) }
                for index in stride(from: 0, to: digits, by: 2) { bytes.append((nibble(text[index]) ?? 0) << 4 | (nibble(text[index + 1]) ?? 0)) }
                bytes += text[digits...]
            }
        }
        // The array gets its exact size, because there may be a million of them.
        return bytes.withUnsafeBufferPointer { Array($0) }
    }

    static func words(in bytes: [UInt8]) -> [String] {
        var words: [String] = []
        var position = 0
        while position < bytes.count {
            let head = number(bytes, &position)
            var text = ""
            if head & 1 == 1 {
                let count = number(bytes, &position)
                text = Digest.hex(bytes[position..<position + count])
                position += count
            }
            words.append(text + String(decoding: bytes[position..<position + head >> 1], as: UTF8.self))
            position += head >> 1
        }
        return words
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var number = number
        while number >= 128 {
            bytes.append(UInt8(number & 127 | 128))
            number >>= 7
        }
        bytes.append(UInt8(number))
    }

    private static func number(_ bytes: [UInt8], _ position: inout Int) -> Int {
        var (number, shift) = (0, 0)
        while bytes[position] >= 128 {
            number |= Int(bytes[position] & 127) << shift
            shift += 7
            position += 1
        }
        number |= Int(bytes[position]) << shift
        position += 1
        return number
    }
}
