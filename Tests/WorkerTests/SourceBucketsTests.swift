import TintypeCore
import TestSupport
import Testing

@testable import Worker

/// Lines of `--source-buckets`, read without a server.
@Suite(.timeLimit(.minutes(1)), .scoped) struct SourceBucketsTests {
    @Test(arguments: [
        ("s3://pictures key", "b:1: expected an access key"), ("s3://pictures", "b:1: expected an access key"),
        ("\n\nhttp://pictures k hush", "b:3: expected s3://"),
        ("s3://pictures k hush\ns3://pictures/x k hush", "b:2: the bucket pictures is there twice"), ("s3://pictures k hush t more", "b:1: expected"),
        ("s3://pictures?endpoint=http://u:hush@h k hush", "b:1: expected s3://"),
    ]) func `a wrong line is told by its number, without its keys`(text: String, beginning: String) throws {
        let mistake = try #require(throws: SettingError.self) { try SourceBuckets(text: text, path: "b", environment: [:]) }
        #expect(mistake.message.hasPrefix(beginning) && !mistake.message.contains("hush"), "\(mistake.message)")
    }
}
