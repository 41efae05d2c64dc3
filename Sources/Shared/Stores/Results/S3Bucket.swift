package import TintypeCore
import TintypeImages
package import TintypeTransport

/// The objects of a bucket, one request each: signed by libcurl, and with what a refusal means in words. Lives on the loop.
@Loop package final class S3Bucket {
    package struct Answer: Sendable {
        package let head: TransferHead
        package let body: [UInt8]
    }

    private let address: S3Address
    private let credentials: S3Credentials
    /// Its name in errors: "The result store".
    private let name: String
    private let transfers: TransferPool

    package init(_ address: S3Address, _ credentials: S3Credentials, called name: String) {
        (self.address, self.credentials, self.name) = (address, credentials, name)
        // The operator chooses the server, so no address is refused.
        transfers = TransferPool(policy: AddressPolicy(allowing: ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }), keptConnections: 32)
    }

    /// - Parameter object: its name in the bucket.
    /// - Returns: nil when there is no such object. A condition that does not hold is an answer, with the status 412.
    package func send(
        _ method: String, _ object: String, query: String = "", headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws(TintypeError) -> Answer? {
        var request = TransferRequest(url: address.base + "/" + object + (query.isEmpty ? "" : "?" + query))
        request.method = method
        request.body = body
        request.headers = headers.map { (name: $0.0, value: $0.1) }
        request.credentials = .aws(
            AWSSigning(
                accessKey: credentials.accessKey, secretKey: credentials.secretKey, sessionToken: credentials.sessionToken, region: address.region,
                service: "s3", bodySHA256: await Loop.work(on: body?.count ?? 0) { Digest.sha256Hex(body ?? []) }))
        request.maxRedirects = 0
        request.maxBytes = 256 << 20
        request.acceptableStatus = [200...299, 404...404, 412...412]
        request.timeouts = TransferTimeouts(connect: .seconds(3), idle: .seconds(10), total: .seconds(60))
        let collected = Collected()
        let summary: TransferSummary
        do throws(TintypeError) {
            summary = try await transfers.run(
                request, onHead: { _ in },
                onBytes: { part, _, _ in
                    collected.bytes += part
                    return .proceed
                })
        } catch {
            throw failure(error)
        }
        guard summary.head.status == 404 else { return Answer(head: summary.head, body: collected.bytes) }
        // The answer to HEAD has no body that would show a missing bucket. A write shows it.
        let code = Self.code(collected.bytes)
        if method == "PUT" || object.isEmpty || code != nil && code != "NoSuchKey" {
            throw .storeFailed("\(name) refused: \(code ?? "404").", cause: "HTTP 404 \(code ?? "")", retryable: false)
        }
        return nil
    }

    /// Bytes as they come.
    @Loop private final class Collected {
        var bytes: [UInt8] = []
    }

    /// Returns the code of an error from S3's XML.
    private static func code(_ body: some Collection<UInt8>) -> String? {
        S3Listing.element("Code", in: String(decoding: body, as: UTF8.self)[...]).map { String($0.prefix(60)) }
    }

    private func failure(_ error: TintypeError) -> TintypeError {
        guard let status = error.details["status"]?.int else {
            let isRefused = [.tls, .denied, .invalidURL].contains(error.name)
            return .storeFailed("\(name) is unreachable: \(error.name.rawValue).", cause: error.message, retryable: !isRefused)
        }
        let code = Self.code(Array((error.details["body"]?.string ?? "").utf8)) ?? ""
        return .storeFailed(
            "\(name) refused: \(code.isEmpty ? "\(status)" : code).", cause: "HTTP \(status) \(code)", retryable: status >= 500 || status == 429)
    }
}

/// One page of the answer to ListObjectsV2. Pure.
struct S3Listing: Sendable, Hashable {
    struct Object: Sendable, Hashable {
        let key: String
        let size: Int
        /// The time as the store writes it: `2026-11-21T17:28:17.000Z`.
        let modified: String
    }

    private(set) var objects: [Object] = []
    /// The start of the next page; nil on the last one.
    let next: String?

    /// nil for text that is no listing. Our keys contain nothing that XML escapes; other keys are ignored.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("<ListBucketResult") else { return nil }
        for part in text.split(separator: "<Contents>").dropFirst() {
            guard let key = Self.element("Key", in: part), let size = Self.element("Size", in: part).flatMap({ WireNumber.digits($0) }) else { continue }
            objects.append(Object(key: key, size: Int(size), modified: Self.element("LastModified", in: part) ?? ""))
        }
        let isCut = Self.element("IsTruncated", in: text[...]) == "true"
        next = isCut ? Self.element("NextContinuationToken", in: text[...]) : nil
    }

    fileprivate static func element(_ name: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), let end = text[start.upperBound...].firstRange(of: "</\(name)>") else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}

/// A bucket and the prefix of a store in it: `s3://bucket[/prefix][?endpoint=https://host:port&region=eu-central-1]`. Pure.
///
/// Without `endpoint` the server is Amazon's, with the bucket in the host name. Other endpoints get the bucket in the path.
package struct S3Address: Sendable, Hashable {
    package let bucket: String
    /// The prefix without slashes at its ends; may be empty.
    package let prefix: String
    package let region: String
    /// The text before an object's name, without a slash at the end.
    package let base: String

    /// - Throws: the fault in the URL.
    package init(_ text: String) throws(SettingError) {
        let mistake = SettingError("expected s3://bucket/prefix?endpoint=http://host:9000&region=eu-central-1, got \"\(RedactedURL(text))\"")
        let parts = text.dropFirst("s3://".count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/").map(String.init)
        // Text without escapes is the same in a path, in a signature and in a listing.
        guard text.hasPrefix("s3://"), let bucket = path.first, path.allSatisfy({ Self.isPlain($0) }) else { throw mistake }
        self.bucket = bucket
        prefix = path.dropFirst().joined(separator: "/")
        var region: String?
        var endpoint: String?
        for option in parts.dropFirst().joined().split(separator: "&") {
            let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { throw mistake }
            switch pair[0] {
            case "region" where Self.isPlain(pair[1]): region = pair[1]
            case "endpoint":
                guard let url = TransferURL(pair[1]), url.isHTTP, url.user == nil else { throw mistake }
                endpoint = url.text.hasSuffix("/") ? String(url.text.dropLast()) : url.text
            default: throw mistake
            }
        }
        self.region = region ?? "us-east-1"
        if let endpoint {
            base = "\(endpoint)/\(bucket)"
        } else if bucket.contains(".") {
            // A bucket name with a dot in the host would not match the certificate.
            base = "https://s3.\(self.region).amazonaws.com/\(bucket)"
        } else {
            base = "https://\(bucket).s3.\(self.region).amazonaws.com"
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.isPlainName(1...Int.max) && text != "." && text != ".."
    }
}

/// The credentials that sign requests to S3. Never shown.
package struct S3Credentials: Sendable, Hashable {
    package var accessKey: String
    package var secretKey: String
    /// The token of temporary credentials.
    package var sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
    }

    /// Reads the credentials from the environment, as Amazon's own programs do; nil without a key and its secret.
    package init?(environment: [String: String]) {
        guard let key = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"], !key.isEmpty, !secret.isEmpty else { return nil }
        self.init(accessKey: key, secretKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 })
    }
}
