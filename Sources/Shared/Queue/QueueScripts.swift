package import TintypeTransport

/// The complete scripts of Queue/Scripts: each is its own file with the library functions that it calls (`ScriptLibrary`).
package struct QueueScripts: Sendable {
    /// The files with functions. Each may use the files before it.
    package static let libraries = ["prelude", "lanes", "events", "receipts", "fetches", "settle", "groups", "lists"]
    /// The files with scripts.
    package static let names = [
        "submit", "claim", "beat", "progress", "rendition", "finish", "fail", "release", "expire", "hold", "drop", "priority", "pause", "reap", "abandon",
        "info",
        "configure",
        "defaults", "reserve", "snapshot", "leave", "greet", "retire", "quiet", "letters", "discard", "empty", "callback", "callbacks", "called", "listed",
        "unlist",
        "dump", "inspect",
        "unmake", "strike", "groupstart", "groupdrive", "groupbegin", "groupsettle", "groupcancel", "groupappend", "groupread",
    ]
    /// The scripts that the program ships with.
    package static let shipped = QueueScripts(sources: sources)

    let submit, submitToSlot, claim, beat, progress, rendition, finish, fail, release, expire, hold, drop, priority, pause, reap, abandon: LuaScript
    let info, configure, defaults, reserve, snapshot, leave, greet, retire, quiet, letters, discard, empty, callback, callbacks, called, listed, unlist, dump,
        inspect, unmake, strike: LuaScript
    let groupStart, groupDrive, groupBegin, groupSettle, groupCancel, groupAppend, groupRead: LuaScript

    /// All scripts, which `RedisClient` loads on connecting.
    package var all: [LuaScript] {
        [
            submit, submitToSlot, claim, beat, progress, rendition, finish, fail, release, expire, hold, drop, priority, pause, reap, abandon, info, configure,
            defaults, reserve, snapshot, leave, greet, retire, quiet, letters, discard, empty, callback, callbacks, called, listed, unlist, dump, inspect,
            unmake, strike, groupStart, groupDrive, groupBegin, groupSettle, groupCancel, groupAppend, groupRead,
        ]
    }

    /// - Parameter sources: texts by file name without `.lua`. Tests pass altered ones.
    package init(sources: [String: String]) {
        let library = ScriptLibrary(Self.libraries.map { sources[$0] ?? "" })
        func script(_ name: String) -> LuaScript {
            LuaScript(name: name, source: library.compose(sources[name] ?? ""))
        }
        // The same script twice. The lines that end the older receipt of a supersede key are longer than all others together, and most requests have no
        // such key.
        let submitLines = (sources["submit"] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let plain = submitLines.filter { !$0.hasSuffix("-- slot") }.joined(separator: "\n")
        submit = LuaScript(name: "submit", source: library.compose(plain))
        submitToSlot = script("submit")
        claim = script("claim")
        beat = script("beat")
        progress = script("progress")
        rendition = script("rendition")
        finish = script("finish")
        fail = script("fail")
        release = script("release")
        expire = script("expire")
        hold = script("hold")
        drop = script("drop")
        priority = script("priority")
        pause = script("pause")
        reap = script("reap")
        abandon = script("abandon")
        info = script("info")
        configure = script("configure")
        defaults = script("defaults")
        reserve = script("reserve")
        snapshot = script("snapshot")
        leave = script("leave")
        greet = script("greet")
        retire = script("retire")
        quiet = script("quiet")
        letters = script("letters")
        discard = script("discard")
        empty = script("empty")
        callback = script("callback")
        callbacks = script("callbacks")
        called = script("called")
        listed = script("listed")
        unlist = script("unlist")
        dump = script("dump")
        inspect = script("inspect")
        unmake = script("unmake")
        strike = script("strike")
        groupStart = script("groupstart")
        groupDrive = script("groupdrive")
        groupBegin = script("groupbegin")
        groupSettle = script("groupsettle")
        groupCancel = script("groupcancel")
        groupAppend = script("groupappend")
        groupRead = script("groupread")
    }

    /// The texts of the shipped files.
    package static let sources: [String: String] = [
        "prelude": PackageResources.prelude_lua, "lanes": PackageResources.lanes_lua, "events": PackageResources.events_lua,
        "receipts": PackageResources.receipts_lua, "fetches": PackageResources.fetches_lua, "settle": PackageResources.settle_lua,
        "submit": PackageResources.submit_lua, "claim": PackageResources.claim_lua, "beat": PackageResources.beat_lua,
        "progress": PackageResources.progress_lua, "rendition": PackageResources.rendition_lua,
        "finish": PackageResources.finish_lua, "fail": PackageResources.fail_lua, "release": PackageResources.release_lua,
        "expire": PackageResources.expire_lua, "hold": PackageResources.hold_lua, "drop": PackageResources.drop_lua,
        "priority": PackageResources.priority_lua, "pause": PackageResources.pause_lua, "reap": PackageResources.reap_lua,
        "abandon": PackageResources.abandon_lua,
        "info": PackageResources.info_lua,
        "configure": PackageResources.configure_lua, "defaults": PackageResources.defaults_lua, "reserve": PackageResources.reserve_lua,
        "snapshot": PackageResources.snapshot_lua,
        "leave": PackageResources.leave_lua,
        "greet": PackageResources.greet_lua, "retire": PackageResources.retire_lua, "quiet": PackageResources.quiet_lua,
        "letters": PackageResources.letters_lua,
        "discard": PackageResources.discard_lua, "empty": PackageResources.empty_lua,
        "callback": PackageResources.callback_lua, "callbacks": PackageResources.callbacks_lua, "called": PackageResources.called_lua,
        "listed": PackageResources.listed_lua, "unlist": PackageResources.unlist_lua, "dump": PackageResources.dump_lua,
        "inspect": PackageResources.inspect_lua, "unmake": PackageResources.unmake_lua, "strike": PackageResources.strike_lua,
        "groups": PackageResources.groups_lua, "groupstart": PackageResources.groupstart_lua, "groupdrive": PackageResources.groupdrive_lua,
        "groupbegin": PackageResources.groupbegin_lua, "groupsettle": PackageResources.groupsettle_lua,
        "groupcancel": PackageResources.groupcancel_lua, "groupappend": PackageResources.groupappend_lua,
        "groupread": PackageResources.groupread_lua, "lists": PackageResources.lists_lua,
    ].mapValues { String(decoding: $0, as: UTF8.self) }
}
