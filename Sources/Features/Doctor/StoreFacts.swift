import Console
import TintypeCore

/// A store by the fate of a probe: an entry that was written, read and removed. A value.
struct StoreFacts: Sendable {
    /// `results` or `sources`.
    let name: String
    /// The place, without a password.
    let place: String
    /// The step that failed, and why; nil if all went well.
    let failure: (step: String, reason: String)?
    /// The time of all steps, in seconds.
    let seconds: Double

    private static let slow = 0.5

    var finding: Finding {
        if let failure {
            return .fail(
                "store \(name)", "at \(place) the probe could not be \(failure.step): \(failure.reason)",
                "every picture would fail or be kept in Redis: correct --\(name), or its rights")
        }
        let found = "at \(place) a probe was written, read and removed in \(HumanNumber.seconds(seconds))"
        return seconds < Self.slow ? .ok("store \(name)", found) : .warn("store \(name)", found, "each picture waits for the store: bring it nearer")
    }
}

/// The codecs of the worker's program on this machine. A value.
struct CodecFacts: Sendable {
    /// The answer of `tintype-worker --role codecs`.
    let answer: WorkerProgram.Answer

    /// - Parameters:
    ///   - wanted: the formats that the settings open.
    ///   - written: the formats that results may have.
    ///   - fonts: the font families of the settings.
    func findings(wanted: [String], written: [String], fonts: [String]) -> [Finding] {
        switch answer {
        case .missing(let path): return [.warn("codecs", "there is no \(path)", "run this on the machine of a worker too")]
        case .failed(let reason): return [.fail("codecs", "tintype-worker cannot use its libraries: \(reason)", "install libvips: scripts/setup")]
        case .found(let answer):
            func names(_ member: String) -> [String] { (answer[member]?.array ?? []).compactMap(\.string) }
            func finding(_ name: String, _ verb: String, _ member: String, _ wanted: [String]) -> Finding {
                let there = names(member)
                let missing = wanted.filter { !there.contains($0) }
                let found = "libvips \(answer["vips"]?.string ?? "?") \(verb) \(there.joined(separator: ", "))"
                return missing.isEmpty
                    ? .ok(name, found)
                    : .warn(
                        name, found + "; not \(missing.joined(separator: ", "))",
                        "install what the format needs, or requests for it fail with unsupportedFormat")
            }
            let missing = fonts.filter { !names("fonts").contains($0.lowercased()) }
            return [
                finding("codecs read", "reads", "decode", wanted), finding("codecs written", "writes", "encode", written),
                missing.isEmpty
                    ? .ok("fonts", names("fonts").joined(separator: ", "))
                    : .warn("fonts", "not installed: \(missing.joined(separator: ", "))", "install them, or remove them from --fonts of all servers"),
            ]
        }
    }
}

/// The limits of this process and its control group, beside what the settings need. A value.
struct LimitFacts: Sendable {
    /// The limit of open files.
    let descriptors: Int
    /// The connections of each port, after they were cut to that limit, and whether the settings ask for more.
    let connections: Int
    let isCut: Bool
    let isTooMuch: Bool
    /// The bytes that this process may use, by the machine and its control group.
    let memory: Int
    /// The most bytes that a worker with these settings takes.
    let workerMemory: Int
    let pixels: Int
    let cores: Int
    /// The most processes and threads of the control group, and of this user; nil: no limit.
    let processes: Int?
    let userProcesses: Int?

    /// The bytes of a pixel process at 50 million pixels, and that number.
    private static let pixelMemory = (bytes: 768 << 20, pixels: 50_000_000)
    /// The threads of a worker beside its pixel processes, with room for the coordinator.
    private static let threads = 64

    /// Returns the most bytes of a worker, as docs/sizing.md counts them.
    static func ceiling(budget: Int, source: Int, pixels: Int, maxPixels: Int) -> Int {
        let each = max(pixelMemory.bytes, Int(min(9e18, Double(pixelMemory.bytes) * Double(maxPixels) / Double(pixelMemory.pixels))))
        let (all, isMuch) = each.multipliedReportingOverflow(by: pixels)
        return isMuch ? .max : budget &+ source &+ all
    }

    var findings: [Finding] {
        [files, room, number]
    }

    private var files: Finding {
        let found = "\(descriptors) open files, so \(connections) connections at each port"
        if isTooMuch { return .fail("limit files", found, "--max-connections asks for more: raise the limit (ulimit -n, LimitNOFILE)") }
        return isCut ? .warn("limit files", found, "raise the limit (ulimit -n, LimitNOFILE) to at least 65536") : .ok("limit files", found)
    }

    private var room: Finding {
        let found =
            "\(HumanNumber.gigabytes(memory)) for this process; a worker of \(pixels) pixel processes takes at most \(HumanNumber.gigabytes(workerMemory))"
        return workerMemory <= memory
            ? .ok("limit memory", found) : .warn("limit memory", found, "lower --pixels, --memory-budget or --max-pixels, or give it more memory")
    }

    private var number: Finding {
        let needed = Self.threads + pixels * 2
        let most = [processes, userProcesses].compactMap(\.self).min()
        let found = "\(most.map(String.init) ?? "any number of") processes and threads, \(cores) cores"
        var remedies: [String] = []
        if let processes, processes < needed { remedies.append("pids.max (TasksMax)") }
        if let userProcesses, userProcesses < needed { remedies.append("the limit of this user (ulimit -u, LimitNPROC)") }
        if !remedies.isEmpty {
            return .fail("limit processes", found, "a worker of \(pixels) pixel processes needs \(needed): raise \(remedies.joined(separator: ", and "))")
        }
        return pixels > cores * 2
            ? .warn("limit processes", found + ", \(pixels) pixel processes", "more than one for each core only wait for each other: lower --pixels")
            : .ok("limit processes", found)
    }
}
