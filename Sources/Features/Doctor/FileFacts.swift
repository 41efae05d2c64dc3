import Console
import Glibc
import TintypeCore

/// A file with a secret, by its permissions and its owner. A value.
struct SecretFileFacts: Sendable {
    let flag: String
    let path: String
    /// The permission bits.
    let mode: UInt32
    let owner: uid_t
    /// The user of this process.
    let user: uid_t

    var finding: Finding {
        let digits = String(mode & 0o7777, radix: 8)
        let found = "\(path) has the mode " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let name = "file --\(flag)"
        if mode & 0o004 != 0 {
            return .fail(name, found + ": every user can read the secret", "chmod o= \(path), and replace the secret if others use this machine")
        }
        if mode & 0o022 != 0 { return .fail(name, found + ": others can replace the secret", "chmod go-w \(path)") }
        if owner != user, owner != 0 {
            return .warn(
                name, found + " and belongs to uid \(owner), who can read and replace the secret",
                "chown it to root or to the user of the servers, and run this as that user (this is uid \(user))")
        }
        return .ok(name, found)
    }
}

/// A certificate by its end. A value.
struct CertificateFacts: Sendable {
    let flag: String
    let path: String
    /// Seconds since 1970; nil: unknown.
    let expiry: Double?
    /// Why the certificate cannot be used with its key.
    let fault: String?

    private static let notice = 14.0

    func finding(now: Double) -> Finding {
        let name = "certificate --\(flag)"
        if let fault { return .fail(name, fault, "name a certificate and its own key, both in PEM form") }
        guard let expiry else { return .warn(name, "\(path): nobody knows when it expires", "look at it by openssl x509 -in \(path) -noout -dates") }
        let days = (expiry - now) / 86_400
        let day = "\(Timestamp(seconds: expiry))".prefix(10)
        if days < 0 { return .fail(name, "\(path) expired on \(day)", "renew it: servers read it again within 30 s") }
        let found = "\(path) expires on \(day), in \(Int(days)) days"
        return days < Self.notice ? .warn(name, found, "renew it: servers read it again within 30 s") : .ok(name, found)
    }
}

/// A folder by what this process may do there. A value.
struct FolderFacts: Sendable {
    enum Need: Sendable {
        case reading, writing
    }

    let name: String
    let path: String
    let need: Need
    /// Why the folder cannot be used so; nil if it can.
    let fault: String?

    var finding: Finding {
        let verb = need == .reading ? "read" : "written"
        guard let fault else { return .ok(name, "\(path) can be \(verb)") }
        return .fail(name, "\(path) cannot be \(verb): \(fault)", "make it, or give it to the user of the servers (this is uid \(geteuid()))")
    }
}

/// The free room of a disk. A value.
struct DiskFacts: Sendable {
    let name: String
    let path: String
    let free: Int
    let whole: Int
    /// The bytes that the store leaves free (`minFree`); nil without that limit.
    let kept: Int?

    private static let little = 512 << 20

    var finding: Finding {
        let found = "\(HumanNumber.gigabytes(free)) of \(HumanNumber.gigabytes(whole)) free at \(path)"
        if let kept, free < kept { return .fail(name, found + ", less than its minFree", "nothing is written any more: make room, or lower minFree") }
        return free < Self.little ? .warn(name, found, "make room, or set minFree and maxBytes in the URL of the store") : .ok(name, found)
    }
}

extension HumanNumber {
    /// 53687091200 → `53.6 GB`.
    static func gigabytes(_ count: Int) -> String {
        count < 10_000_000_000 ? bytes(count) : "\(count / 1_000_000_000).\(count / 100_000_000 % 10) GB"
    }
}
