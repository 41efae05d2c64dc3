import Foundation
import TestSupport
import Testing
import TintypeCore

/// Pictures of a bucket at the picture door: an S3 that checks signatures, rules of access, and real processes.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorBucketTests {
    /// The rules of an operator who lets one folder of one bucket be shown, and nothing else.
    private static let rules = #"{"rules":[{"access":"deny"},{"hosts":["pictures"],"paths":["/public/"],"access":"allow"}]}"#

    private let server: S3Server
    private let folder: TemporaryFolder

    init() async throws {
        (server, folder) = (try await S3Server(), try TemporaryFolder("buckets"))
        let keys = [server.environment["AWS_ACCESS_KEY_ID"] ?? "", server.environment["AWS_SECRET_ACCESS_KEY"] ?? ""].joined(separator: " ")
        try "s3://pictures?endpoint=\(server.endpoint)&region=eu-central-1 \(keys)\n".write(toFile: buckets, atomically: true, encoding: .utf8)
        try Self.rules.write(toFile: folder.path + "/rules.json", atomically: true, encoding: .utf8)
    }

    private var buckets: String { folder.path + "/buckets" }

    /// Expects a refusal by its name, with not a word on where the bucket is, and what opens it.
    private func expect(_ answer: HTTP.Response, _ status: Int, _ name: String, _ source: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == status && answer.headers["tintype-error"] == name, "\(source): \(answer.headers) \(text)", sourceLocation: sourceLocation)
        #expect(try JSON(parsing: answer.body)["error"]?["name"]?.string == name, sourceLocation: sourceLocation)
        let told = text + answer.headers.map { "\($0.key): \($0.value)" }.joined()
        for secret in [server.endpoint] + server.environment.values { #expect(!told.contains(secret), "\(source)", sourceLocation: sourceLocation) }
    }

    @Test func `a picture of a bucket is shown where a rule allows it, and every other object is refused`() async throws {
        let door = try await PictureDoorDeployment(["--rules", folder.path + "/rules.json"], workers: ["--source-buckets", buckets])
        let picture = [UInt8](try await HTTP.get(door.deployment.url("/picture.png?size=50x40")).body)
        for key in ["public/a%20b.png", "private/a.png"] { try await server.put(picture, key, type: "image/png") }

        let path = door.signing("/rs:fit:25:25/plain/s3://pictures/public/a%20b.png@webp")
        let first = try await door.get(path)
        let shown = try #require(PictureBytes(first.body), "\(first.headers) \(String(decoding: first.body.prefix(300), as: UTF8.self))")
        #expect(first.status == 200 && first.headers["content-type"] == "image/webp" && shown.format == "webp" && (shown.width, shown.height) == (25, 20))
        #expect(first.headers["content-disposition"] == #"inline; filename="a b.webp""#)
        let kept = try await door.get(door.signing("/rs:fit:10:10/plain/s3://pictures/public/a%20b.png@webp"))
        #expect(kept.status == 200 && kept.headers["server-timing"]?.hasPrefix("from;desc=\"sources\"") == true, "\(kept.headers)")

        for source in ["s3://pictures/private/a.png", "s3://others/public/a%20b.png", door.deployment.url("/picture.png")] {
            try expect(try await door.get(door.signing("/w:10/plain/\(source)@webp")), 403, "denied", source)
        }
        try expect(try await door.get(door.signing("/plain/s3://pictures/public/none.png@webp")), 404, "httpStatus", "none")
        #expect(try await door.get(door.signing("/plain/s3:/pictures/public/a.png@webp")).status == 400)
    }

    @Test func `without buckets of the operator an object is denied, whatever the rules say`() async throws {
        let door = try await PictureDoorDeployment(["--rules", folder.path + "/rules.json"])
        try expect(try await door.get(door.signing("/w:10/plain/s3://pictures/public/a.png@webp")), 403, "denied", "without buckets")
    }
}
