import TintypeCore
import TintypeImages

/// Throttled hosts: they sent `Retry-After` to this worker, or the queue named them with a fetch that has such mirrors.
///
/// The queue claims no fetches of a throttled host, but for a source with mirrors it looks at one host only. The other hosts are skipped here. Otherwise
/// each request would ask a throttled mirror that another one replaces. A pure value.
struct ThrottledHosts {
    /// The longest time, equal to the limit of queues.
    private static let longest = Duration.seconds(600)
    /// The most hosts. Beyond it the host whose time ends first is forgotten.
    static let most = 1000

    private var hosts: [String: (until: ContinuousClock.Instant, status: JSON?)] = [:]

    /// Records a failure, if its host sent `Retry-After`.
    mutating func note(_ error: TintypeError, at now: ContinuousClock.Instant) {
        guard let (host, seconds) = error.busyHost else { return }
        note(host, seconds, status: error.details["status"], at: now)
    }

    /// Records a host that another worker found throttled, as the queue reports it.
    /// - Parameter status: the status of that answer, if known.
    mutating func note(_ host: String, _ seconds: Double, status: JSON? = nil, at now: ContinuousClock.Instant) {
        hosts = hosts.filter { $0.value.until > now }
        if hosts[host] == nil, hosts.count >= Self.most, let first = hosts.min(by: { $0.value.until < $1.value.until }) { hosts[first.key] = nil }
        let until = now + min(.seconds(bounded: seconds), Self.longest)
        if until > hosts[host]?.until ?? now { hosts[host] = (until, status ?? hosts[host]?.status) }
    }

    /// Returns why the address may not be asked yet, with the status of the host's answer and the remaining time. nil: it may be asked.
    func refusal(of address: SourceAddress, at now: ContinuousClock.Instant) -> TintypeError? {
        guard address.kind.isRemote, let pause = hosts[address.host], pause.until > now else { return nil }
        var details: JSONObject = [
            "url": .string(RedactedURL(address.url).description), "host": .string(address.host), "retryAfter": JSON((pause.until - now) / .seconds(1)),
        ]
        details["status"] = pause.status
        return TintypeError(.httpStatus, .download, "the host has sent Retry-After and is not asked again yet", retryable: true, details: details)
    }
}

extension TintypeError {
    /// The host that sent `Retry-After`, and the seconds. It is the host that answered, as the transfer knew it. After redirects it may differ from
    /// the host of the requested URL. No displayed text is parsed for it: the author of such a text could name the host of somebody else.
    var busyHost: (host: String, seconds: Double)? {
        guard let seconds = details["retryAfter"]?.double, seconds > 0, let host = details["host"]?.string, !host.isEmpty else { return nil }
        return (host, seconds)
    }
}
