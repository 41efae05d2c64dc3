import Coordinator
import PNG
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeTransport

/// The answer of the picture door to a request without a picture: status, body and lifetime. Pure.
struct DoorFailure: Sendable, Hashable {
    private(set) var status: Int
    /// The name of the error, as in the protocol.
    let name: ErrorName
    /// A sentence for strangers. Only that of a refused URL tells details, which are those of the URL.
    private(set) var message: String
    /// The reason and the place of the trouble in a URL that was refused.
    var details = JSONObject()
    /// Whole seconds; nil: another try will not help, or nobody knows when.
    var retryAfter: Int?
    /// Whole seconds for which caches may keep the answer; 0: they may not.
    var fresh = 0

    /// A URL that the door refuses.
    init(_ refusal: DoorRefusal) {
        let error = refusal.error
        (name, message, details) = (error.name, error.message, error.details)
        status =
            switch refusal.reason {
            case .signature, .notAllowed: 403
            case .expired: 410
            case .tooLong: 414
            case .missingPart: 404
            case .badByte, .badPart, .encrypted, .badSource, .unknownOption, .wrongArgument, .tooManyArguments, .tooManyOptions, .unknownPreset,
                .notSupported:
                400
            }
    }

    /// A `Host` that the door does not answer to.
    static let foreignHost: DoorFailure = {
        var failure = DoorFailure(AllowedHosts.refusal, now: 0)
        failure.message = AllowedHosts.refusal.message
        return failure
    }()

    /// A picture that could not be loaded. The message of the error is for the operator, so it stays out of the answer.
    /// - Parameters:
    ///   - isUnsigned: Whether a stranger has made the URL. No stranger learns which names the operator's DNS knows, so one that leads to an inner address
    ///     fails as one does that is not there.
    ///   - now: Seconds since 1970.
    init(_ error: TintypeError, isUnsigned: Bool = false, now: Double) {
        let isOfName = error.name == .dns || error.name == .denied && ["address", "proxy"].contains(error.details["which"]?.string)
        let error = isUnsigned && isOfName ? TintypeError(.connect, .download, "") : error
        name = error.name
        // The blacklist has the failure that put a source on it, and says until when it stays.
        let cause = error.name == .blacklisted ? error.details["cause"]?.string.flatMap { ErrorName(rawValue: $0) } ?? .badImageData : error.name
        status = Self.status(of: cause, origin: error.details["status"]?.int, phase: error.name == .blacklisted ? .decode : error.phase)
        message = Self.text(of: status)
        if error.ownLimitSeconds != nil {
            (status, message) = (429, "your address asks for too many pictures; try again later")
        }
        if error.name == .blacklisted, let until = error.details["until"]?.double { fresh = Int(max(0, min(until - now, 3600))) }
        let asked = error.details["retryAfter"]?.double
        // bounded: by the hour.
        if let asked, [429, 503].contains(status) { retryAfter = Int(max(1, min(asked, 3600)).rounded(.up)) }
        if retryAfter == nil, [429, 503].contains(status) { retryAfter = 1 }
    }

    /// Returns what a stranger is told, and what to do.
    private static func text(of status: Int) -> String {
        switch status {
        case 400: "the address of the source, or a use of it, is not valid; correct the URL"
        case 403: "the source is not allowed here; use another one, or ask the operator"
        case 404: "the source was not found; check its address"
        case 415: "the source is of a type that is not accepted; use another format"
        case 422: "the source cannot be made into this picture; check the source and the options"
        case 429: "the server of the source answers too many requests; try again later"
        case 502: "the source could not be fetched; try again later"
        case 503: "the service is too busy; try again"
        case 504: "the source took too long; try again later"
        default: "the service failed; tell the operator, whose log has the reason"
        }
    }

    private static func status(of name: ErrorName, origin: Int?, phase: Phase) -> Int {
        if name == .httpStatus, let origin, [404, 410, 429].contains(origin) { return origin == 410 ? 404 : origin }
        // A picture that takes too long to decode will take as long again.
        return name == .timeout && phase != .download ? 422 : name.httpStatus
    }

    /// Returns whether a client shows what it gets, as an element `img` does: its `Accept` begins with a picture.
    static func showsPictures(_ accept: String?) -> Bool { accept?.drop { $0 == " " }.prefix(6).lowercased() == "image/" }

    /// Returns the answer: a gray picture for a client that shows it, else a short text in JSON. The status is the same.
    func answer(asPicture: Bool, _ headers: DoorHeaders) -> WebAnswer {
        var answer: WebAnswer
        if asPicture {
            answer = WebAnswer(status: status, headers: [("Content-Type", ImageFormat.png.contentType)], body: Self.gray)
        } else {
            let error = (["name": .string(name.rawValue), "message": .string(message)] as JSONObject).merging(details)
            answer = .json(status, ["error": .object(error)])
        }
        var lines = HeaderLines([
            ("Cache-Control", fresh > 0 ? "public, max-age=\(fresh)" : "no-store"), ("Vary", "Accept"), ("Tintype-Error", name.rawValue),
        ])
        if let retryAfter { lines.add("Retry-After", "\(retryAfter)") }
        headers.add(to: &lines)
        answer.lines = lines
        return answer
    }

    /// A small picture: its page says how large it is shown. A script sees no status of an element `img`, so it knows the picture by this size,
    /// which hardly any other one has.
    private static let gray = PlainPicture.png(Color(red: 0xc8, green: 0xc8, blue: 0xc8), width: 61, height: 67)
}
