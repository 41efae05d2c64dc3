package import TintypeCore
import TintypeTransport

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
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
            }
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
