import Foundation
import TestSupport
import TintypeCore
import Testing

@testable import Worker

/// The words of a worker about its files of downloads.
@Suite struct DownloadFilesReportTests {
    @Test func `each file is judged by itself`() throws {
        let folder = try TemporaryFolder("files")
        func file(_ name: String, _ text: String) throws -> String {
            try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
            return "\(folder.path)/\(name)"
        }
        let keys = try file("keys", "# none\nname: rot13 secretword\n")
        let buckets = try file("buckets", "s3://photos one two\n")
        let faults = DownloadFilesReport.faults([
            "--decryption-keys", keys, "--source-buckets", buckets, "--tls-profiles", folder.path + "/absent", "--other",
        ])
        #expect(faults["decryption-keys"]?.string?.hasPrefix("\(keys):2: expected one of") == true, "\(faults)")
        #expect(faults["source-buckets"] == nil && faults["tls-profiles"]?.string?.contains("absent") == true, "\(faults)")
        #expect(!faults.text.contains("secretword"))
        #expect(DownloadFilesReport.faults([]) == [:] && DownloadFilesReport.faults(["--tls-profiles"]) == [:])
    }
}
