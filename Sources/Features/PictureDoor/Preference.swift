import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeTransport

/// The preference of a client that comes back for its picture: `Prefer: respond-async` (RFC 7240 §4.1). Pure.
enum Preference {
    /// The seconds after which the client comes back.
    static let retryAfter = 1

    /// Returns whether a client prefers an answer before its picture is there.
    /// - Parameter header: All `Prefer` headers, separated by commas; nil for none. Values and parameters of the preference do not count.
    static func isAsync(_ header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { preference in
            preference.prefix { $0 != ";" && $0 != "=" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "respond-async"
        }
    }

    /// Returns the answer for a picture that is being made.
    /// - Parameter location: The target of the request, under which the picture will be.
    static func accepted(_ location: String, _ plan: DoorPlan, _ headers: DoorHeaders) -> WebAnswer {
        var answer = WebAnswer.json(202, ["state": "queued", "retryAfter": JSON(retryAfter)])
        var lines = HeaderLines([
            ("Preference-Applied", "respond-async"), ("Location", location), ("Retry-After", "\(retryAfter)"), ("Cache-Control", "no-store"),
            ("Vary", (plan.varies + ["Prefer"]).joined(separator: ", ")),
        ])
        headers.add(to: &lines)
        answer.lines = lines
        return answer
    }
}
