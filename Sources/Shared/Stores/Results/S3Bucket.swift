package import TintypeCore
package import TintypeTransport
import TintypeImages

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
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.firstRange(of: "<Code>"), let end = text[start.upperBound...].firstRange(of: "</Code>") else { return nil }
        return String(text[start.upperBound..<end.lowerBound].prefix(60))
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
