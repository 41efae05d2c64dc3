import Console
import TintypeCore

/// A file of keys, buckets or TLS profiles, judged by the worker's own reader. A value.
struct DownloadFileFacts: Sendable {
    let flag: String
    let path: String
    /// The answer of `tintype-worker --role download-files`: the mistakes, by their flags. They have no word of a file in them.
    let answer: WorkerProgram.Answer

    var finding: Finding {
        let name = "file --\(flag)"
        switch answer {
        case .found(let faults):
            guard let fault = faults[flag]?.string else { return .ok(name, "\(path) has the form that workers read") }
            return .fail(name, fault, "correct it: no worker starts with it")
        case .missing(let program): return .warn(name, "\(path) was not read: there is no \(program)", "run this on the machine of a worker too")
        case .failed(let reason):
            return .fail(name, "\(path) was not read: tintype-worker ended, \(reason)", "it must be of this version, with its libraries (scripts/setup)")
        }
    }
}
