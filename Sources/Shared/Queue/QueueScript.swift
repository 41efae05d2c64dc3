import CScripts

/// The scripts of Queue/Scripts. CScripts embeds them in this order.
package enum QueueScript: String, Sendable, CaseIterable {
    // Receipts.
    case submit, reserve, cancel, priority, pause, snapshot, leave
    // Runs.
    case claim, progress, rendition, finish, fail, release, expire, throttle
    case workerHeartbeat = "worker-heartbeat"
    case workerDrain = "worker-drain"
    case workerRemove = "worker-remove"
    // Upkeep.
    case coordinatorHeartbeat = "coordinator-heartbeat"
    case reap, abandon
    case callbackStore = "callback-store"
    case callbacksLease = "callbacks-lease"
    case callbackSettle = "callback-settle"
    // Operators.
    case info, configure, defaults, share, lender, supersede
    case queueEmpty = "queue-empty"
    case queueRemove = "queue-remove"
    case queueNameRemove = "queue-name-remove"
    case deadLetters = "dead-letters"
    case deadLettersRemove = "dead-letters-remove"
    case blacklist
    case blacklistRemove = "blacklist-remove"
    case purge
    case purgeRuns = "purge-runs"
    case purgeMark = "purge-mark"
    case dump, inspect
    // Groups.
    case groupStart = "group-start"
    case groupAppend = "group-append"
    case groupDrive = "group-drive"
    case groupBegin = "group-begin"
    case groupSettle = "group-settle"
    case groupCancel = "group-cancel"
    case groupRead = "group-read"
}

/// The files of Queue/Scripts with functions. Each may use the files before it, and `prelude`, which goes before every script.
package enum ScriptLibraryFile: String, Sendable, CaseIterable {
    case values, order, events, receipts, fetches, tags, settle, groups, pages
}

extension QueueScripts {
    /// The texts of the shipped files, by their names without `.lua`. A test compares them with the files.
    package static let sources: [String: String] = {
        let names = ["prelude"] + ScriptLibraryFile.allCases.map(\.rawValue) + QueueScript.allCases.map(\.rawValue)
        return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, String(cString: tintype_script($0))) })
    }()
}
