package import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

/// The buckets whose objects may be sources, and what opens them. Holds secrets: never logged.
///
///     s3://photos
///     s3://catalog/public?endpoint=https://minio.example:9000&region=eu-central-1 ACCESS-KEY SECRET-KEY
///
/// A prefix bounds what is read there. A line without keys has those of the environment.
package struct SourceBuckets: Sendable {
    private struct Bucket: Sendable {
        let address: S3Address
        let credentials: S3Credentials
    }

    private var buckets: [String: Bucket] = [:]

    package init() {}

    /// Reads a file of lines `URL [access-key secret-key [session-token]]`.
    /// - Throws: what is wrong in which line, without its keys.
    package init(text: String, path: String, environment: [String: String] = ProcessEnvironment.all()) throws(SettingError) {
        try WordLines.each(of: text, path: path) { words throws(SettingError) in
            guard let first = words.first else { return }
            let address = try S3Address(String(first))
            guard buckets[address.bucket] == nil else { throw SettingError("the bucket \(address.bucket) is there twice") }
            buckets[address.bucket] = Bucket(address: address, credentials: try Self.credentials(words.dropFirst().map { String($0) }, environment))
        }
    }

    private static func credentials(_ keys: [String], _ environment: [String: String]) throws(SettingError) -> S3Credentials {
        switch keys.count {
        case 0:
            guard let credentials = S3Credentials(environment: environment) else {
                throw SettingError("expected an access key and a secret key behind the URL, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
            }
            return credentials
        case 2, 3: return S3Credentials(accessKey: keys[0], secretKey: keys[1], sessionToken: keys.count == 3 ? keys[2] : nil)
        default: throw SettingError("expected an access key, a secret key and perhaps a session token behind the URL")
        }
    }

    /// - Throws: `denied` for an object that is in none of them.
    func check(_ address: SourceAddress) throws(TintypeError) {
        guard case .object(let object) = address.kind, origin(of: object) == nil else { return }
        throw TintypeError(
            .denied, .download, "objects of \(object.bucket) with such keys are not fetched here: see --source-buckets",
            details: ["which": "bucket", "url": .string(object.url)])
    }

    /// Where an object is, and what its request is signed with; nil for one that may not be read.
    private func origin(of object: BucketObject) -> (url: String, signing: AWSSigning)? {
        guard let bucket = buckets[object.bucket] else { return nil }
        let (address, credentials) = (bucket.address, bucket.credentials)
        guard address.prefix.isEmpty || object.key.utf8.starts(with: (address.prefix + "/").utf8) else { return nil }
        let signing = AWSSigning(
            accessKey: credentials.accessKey, secretKey: credentials.secretKey, sessionToken: credentials.sessionToken, region: address.region, service: "s3",
            bodySHA256: Digest.sha256Hex([UInt8]()))
        return ("\(address.base)/\(object.path)", signing)
    }

    /// Has a request ask the bucket for the object that its address names. It follows no redirect: the operator
    /// has not named that target. It takes no body of a refusal: S3 writes keys into it.
    func direct(_ request: inout TransferRequest, to address: SourceAddress) {
        guard case .object(let object) = address.kind, let (url, signing) = origin(of: object) else { return }
        (request.url, request.credentials, request.subject) = (url, .aws(signing), nil)
        (request.maxRedirects, request.acceptableStatus) = (0, [200...299])
    }
}

extension BucketObject {
    /// As results and errors name it.
    var url: String { "s3://\(bucket)/\(path)" }
}

extension TransferHead {
    /// The same as if the address itself had answered: where a bucket is, is the operator's matter.
    func seen(at address: SourceAddress) -> TransferHead {
        guard case .object(let object) = address.kind else { return self }
        return TransferHead(
            status: status, headers: headers, url: object.url, host: address.host, expectedBytes: expectedBytes, hops: hops, resumedFrom: resumedFrom)
    }
}

extension TintypeError {
    /// The same of an object, without where its bucket is and what that has said.
    func seen(at address: SourceAddress) -> TintypeError {
        guard case .object(let object) = address.kind, name != .cancelled else { return self }
        var seen = self
        for member in ["host", "headers", "body", "finalURL", "location"] { seen.details[member] = nil }
        seen.details["url"] = .string(object.url)
        // As for a host that asked for a pause: it counts as this host.
        if details["retryAfter"] != nil { seen.details["host"] = .string(address.host) }
        if [.dns, .connect, .tls, .connectionLost, .denied].contains(name), details["which"] != "bucket" {
            seen.message = "the bucket \(object.bucket) cannot be reached (\(name.rawValue))"
            seen.details["cause"] = nil
            seen.logged = message + (logged.map { "; " + $0 } ?? "")
        }
        return seen
    }
}
