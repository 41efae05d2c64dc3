/// The scripts of Queue/Scripts. Nothing else lists them.
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

    fileprivate var text: [UInt8] {
        switch self {
        case .submit: PackageResources.submit_lua
        case .reserve: PackageResources.reserve_lua
        case .cancel: PackageResources.cancel_lua
        case .priority: PackageResources.priority_lua
        case .pause: PackageResources.pause_lua
        case .snapshot: PackageResources.snapshot_lua
        case .leave: PackageResources.leave_lua
        case .claim: PackageResources.claim_lua
        case .progress: PackageResources.progress_lua
        case .rendition: PackageResources.rendition_lua
        case .finish: PackageResources.finish_lua
        case .fail: PackageResources.fail_lua
        case .release: PackageResources.release_lua
        case .expire: PackageResources.expire_lua
        case .throttle: PackageResources.throttle_lua
        case .workerHeartbeat: PackageResources.worker_heartbeat_lua
        case .workerDrain: PackageResources.worker_drain_lua
        case .workerRemove: PackageResources.worker_remove_lua
        case .coordinatorHeartbeat: PackageResources.coordinator_heartbeat_lua
        case .reap: PackageResources.reap_lua
        case .abandon: PackageResources.abandon_lua
        case .callbackStore: PackageResources.callback_store_lua
        case .callbacksLease: PackageResources.callbacks_lease_lua
        case .callbackSettle: PackageResources.callback_settle_lua
        case .info: PackageResources.info_lua
        case .configure: PackageResources.configure_lua
        case .defaults: PackageResources.defaults_lua
        case .share: PackageResources.share_lua
        case .lender: PackageResources.lender_lua
        case .supersede: PackageResources.supersede_lua
        case .queueEmpty: PackageResources.queue_empty_lua
        case .queueRemove: PackageResources.queue_remove_lua
        case .queueNameRemove: PackageResources.queue_name_remove_lua
        case .deadLetters: PackageResources.dead_letters_lua
        case .deadLettersRemove: PackageResources.dead_letters_remove_lua
        case .blacklist: PackageResources.blacklist_lua
        case .blacklistRemove: PackageResources.blacklist_remove_lua
        case .purge: PackageResources.purge_lua
        case .purgeRuns: PackageResources.purge_runs_lua
        case .purgeMark: PackageResources.purge_mark_lua
        case .dump: PackageResources.dump_lua
        case .inspect: PackageResources.inspect_lua
        case .groupStart: PackageResources.group_start_lua
        case .groupAppend: PackageResources.group_append_lua
        case .groupDrive: PackageResources.group_drive_lua
        case .groupBegin: PackageResources.group_begin_lua
        case .groupSettle: PackageResources.group_settle_lua
        case .groupCancel: PackageResources.group_cancel_lua
        case .groupRead: PackageResources.group_read_lua
        }
    }
}

/// The files of Queue/Scripts with functions. Each may use the files before it, and `prelude`, which goes before every script.
package enum ScriptLibraryFile: String, Sendable, CaseIterable {
    case values, order, events, receipts, fetches, tags, settle, groups, pages

    fileprivate var text: [UInt8] {
        switch self {
        case .values: PackageResources.values_lua
        case .order: PackageResources.order_lua
        case .events: PackageResources.events_lua
        case .receipts: PackageResources.receipts_lua
        case .fetches: PackageResources.fetches_lua
        case .tags: PackageResources.tags_lua
        case .settle: PackageResources.settle_lua
        case .groups: PackageResources.groups_lua
        case .pages: PackageResources.pages_lua
        }
    }
}

extension QueueScripts {
    /// The texts of the shipped files, by their names without `.lua`.
    package static let sources: [String: String] = {
        var sources = ["prelude": String(decoding: PackageResources.prelude_lua, as: UTF8.self)]
        for file in ScriptLibraryFile.allCases { sources[file.rawValue] = String(decoding: file.text, as: UTF8.self) }
        for script in QueueScript.allCases { sources[script.rawValue] = String(decoding: script.text, as: UTF8.self) }
        return sources
    }()
}
