import TintypeCore
import TintypeImages

/// The failures of a source's addresses, and the error that represents them. A pure value.
struct MirrorFailures {
    private var failures: [(error: TintypeError, url: String)] = []

    mutating func add(_ error: TintypeError, of address: SourceAddress) { failures.append((error, RedactedURL(address.url).description)) }

    /// The error of all addresses. Retryable failures come first: of these the one that may be tried again first. Otherwise it is the last failure.
    /// With several failures the details list each of them.
    var error: TintypeError {
        guard let last = failures.last?.error else { return TintypeError(.internalError, .download, "the source has no address") }
        guard failures.count > 1 else { return last }
        let listed = failures.map { failure -> JSON in
            var one: JSONObject = ["url": .string(failure.url), "name": .string(failure.error.name.rawValue)]
            one["status"] = failure.error.details["status"]
            return .object(one)
        }
        let passing = failures.map(\.error).filter(\.isRetryable).reversed()
        var error = (passing.min { $0.busyHost?.seconds ?? 0 < $1.busyHost?.seconds ?? 0 } ?? last).adding("mirrors", .array(listed))
        let logged = failures.compactMap(\.error.logged)
        error.logged = logged.isEmpty ? nil : logged.joined(separator: "; ")
        return error
    }
}
