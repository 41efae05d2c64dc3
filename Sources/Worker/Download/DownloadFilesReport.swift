import TintypeCore
import TintypeSettings

/// `tintype-worker --role download-files [--FLAG FILE]…`: prints the mistakes in the files of downloads, by their flags, as one line of JSON.
///
/// Only `tintype doctor` asks. Each file is read as at the start of a worker, so the words are the same.
enum DownloadFilesReport {
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        StandardStream.printLine(faults(arguments).text)
        return 0
    }

    static func faults(_ arguments: [String]) -> JSON {
        let files: [(flag: String, path: WritableKeyPath<WorkerSettings, String?>)] = [
            ("decryption-keys", \.decryptionKeys), ("source-buckets", \.sourceBuckets), ("tls-profiles", \.tlsProfiles),
        ]
        var faults = JSONObject()
        for file in files {
            guard let index = arguments.firstIndex(of: "--\(file.flag)"), index + 1 < arguments.count else { continue }
            var settings = WorkerSettings()
            settings[keyPath: file.path] = arguments[index + 1]
            do throws(SettingError) { _ = try DownloadPolicy(settings) } catch { faults[file.flag] = .string(error.message) }
        }
        return .object(faults)
    }
}
