/// The scripts of Queue/Scripts.
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
    /// The texts of the shipped files, by their names without `.lua`. A test compares them with the names.
    package static let sources = texts.mapValues { String(decoding: $0, as: UTF8.self) }

    private static let texts: [String: [UInt8]] = [
        "prelude": PackageResources.prelude_lua, "values": PackageResources.values_lua, "order": PackageResources.order_lua,
        "events": PackageResources.events_lua, "receipts": PackageResources.receipts_lua, "fetches": PackageResources.fetches_lua,
        "tags": PackageResources.tags_lua, "settle": PackageResources.settle_lua, "groups": PackageResources.groups_lua, "pages": PackageResources.pages_lua,
        "submit": PackageResources.submit_lua, "reserve": PackageResources.reserve_lua, "cancel": PackageResources.cancel_lua,
        "priority": PackageResources.priority_lua, "pause": PackageResources.pause_lua, "snapshot": PackageResources.snapshot_lua,
        "leave": PackageResources.leave_lua, "claim": PackageResources.claim_lua, "progress": PackageResources.progress_lua,
        "rendition": PackageResources.rendition_lua, "finish": PackageResources.finish_lua, "fail": PackageResources.fail_lua,
        "release": PackageResources.release_lua, "expire": PackageResources.expire_lua, "throttle": PackageResources.throttle_lua,
        "worker-heartbeat": PackageResources.worker_heartbeat_lua, "worker-drain": PackageResources.worker_drain_lua,
        "worker-remove": PackageResources.worker_remove_lua, "coordinator-heartbeat": PackageResources.coordinator_heartbeat_lua,
        "reap": PackageResources.reap_lua, "abandon": PackageResources.abandon_lua, "callback-store": PackageResources.callback_store_lua,
        "callbacks-lease": PackageResources.callbacks_lease_lua, "callback-settle": PackageResources.callback_settle_lua, "info": PackageResources.info_lua,
        "configure": PackageResources.configure_lua, "defaults": PackageResources.defaults_lua, "share": PackageResources.share_lua,
        "lender": PackageResources.lender_lua, "supersede": PackageResources.supersede_lua, "queue-empty": PackageResources.queue_empty_lua,
        "queue-remove": PackageResources.queue_remove_lua, "queue-name-remove": PackageResources.queue_name_remove_lua,
        "dead-letters": PackageResources.dead_letters_lua, "dead-letters-remove": PackageResources.dead_letters_remove_lua,
        "blacklist": PackageResources.blacklist_lua, "blacklist-remove": PackageResources.blacklist_remove_lua, "purge": PackageResources.purge_lua,
        "purge-runs": PackageResources.purge_runs_lua, "purge-mark": PackageResources.purge_mark_lua, "dump": PackageResources.dump_lua,
        "inspect": PackageResources.inspect_lua, "group-start": PackageResources.group_start_lua, "group-append": PackageResources.group_append_lua,
        "group-drive": PackageResources.group_drive_lua, "group-begin": PackageResources.group_begin_lua, "group-settle": PackageResources.group_settle_lua,
        "group-cancel": PackageResources.group_cancel_lua, "group-read": PackageResources.group_read_lua,
    ]
}
