/// The scripts of Queue/Scripts, put together: each is its own file after those functions of the library files that it calls.
///
/// Making a function costs Redis half a microsecond at every call of a script, so a script carries only what it needs.
package struct QueueScripts: Sendable {
    /// The files that hold functions, in the order in which one builds on the other.
    package static let libraries = ["prelude", "lanes", "events", "receipts", "secrets", "fetches", "settle", "groups", "lists"]
    /// The files that are scripts.
    package static let names = [
        "submit", "claim", "beat", "progress", "rendition", "finish", "fail", "release", "expire", "hold", "drop", "priority", "reap", "abandon", "info",
        "configure",
        "defaults", "reserve", "snapshot", "leave", "greet", "retire", "quiet", "letters", "discard", "empty", "callback", "callbacks", "called", "listed",
        "unlist",
        "dump", "inspect",
        "unmake", "strike", "groupstart", "groupdrive", "groupbegin", "groupsettle", "groupcancel", "groupappend", "groupread",
    ]
    /// As shipped with the program.
    package static let shipped = QueueScripts(sources: sources)

    let submit, submitToSlot, claim, beat, progress, rendition, finish, fail, release, expire, hold, drop, priority, reap, abandon: LuaScript
    let info, configure, defaults, reserve, snapshot, leave, greet, retire, quiet, letters, discard, empty, callback, callbacks, called, listed, unlist, dump,
        inspect, unmake, strike: LuaScript
    let groupStart, groupDrive, groupBegin, groupSettle, groupCancel, groupAppend, groupRead: LuaScript

    /// All of them, for `RedisClient` to load on connecting.
    package var all: [LuaScript] {
        [
            submit, submitToSlot, claim, beat, progress, rendition, finish, fail, release, expire, hold, drop, priority, reap, abandon, info, configure,
            defaults, reserve, snapshot, leave, greet, retire, quiet, letters, discard, empty, callback, callbacks, called, listed, unlist, dump, inspect,
            unmake, strike, groupStart, groupDrive, groupBegin, groupSettle, groupCancel, groupAppend, groupRead,
        ]
    }

    /// - Parameter sources: text by file name without `.lua`. Tests pass altered ones.
    package init(sources: [String: String]) {
        let library = Self.libraries.flatMap { Self.paragraphs(sources[$0] ?? "") }
        func script(_ name: String) -> LuaScript {
            LuaScript(name: name, source: Self.compose(sources[name] ?? "", library: library))
        }
        // The same script twice: what ends the receipt before in a slot is more than all the rest, and most requests have none.
        let submitLines = (sources["submit"] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let plain = submitLines.filter { !$0.hasSuffix("-- slot") }.joined(separator: "\n")
        submit = LuaScript(name: "submit", source: Self.compose(plain, library: library))
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

    /// The text of the shipped files.
    package static let sources: [String: String] = [
        "prelude": PackageResources.prelude_lua, "lanes": PackageResources.lanes_lua, "events": PackageResources.events_lua,
        "receipts": PackageResources.receipts_lua, "secrets": PackageResources.secrets_lua,
        "fetches": PackageResources.fetches_lua, "settle": PackageResources.settle_lua,
        "submit": PackageResources.submit_lua, "claim": PackageResources.claim_lua, "beat": PackageResources.beat_lua,
        "progress": PackageResources.progress_lua, "rendition": PackageResources.rendition_lua,
        "finish": PackageResources.finish_lua, "fail": PackageResources.fail_lua, "release": PackageResources.release_lua,
        "expire": PackageResources.expire_lua, "hold": PackageResources.hold_lua, "drop": PackageResources.drop_lua,
        "priority": PackageResources.priority_lua, "reap": PackageResources.reap_lua, "abandon": PackageResources.abandon_lua,
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

    /// What stands between blank lines of a library file, with the names it defines. A function holds no blank line.
    private struct Paragraph {
        let text: String
        let defines: [String]
        let words: Set<String>
    }

    private static func paragraphs(_ source: String) -> [Paragraph] {
        var paragraphs: [Paragraph] = []
        var lines: [String] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) + [Substring("")] {
            guard line.isEmpty else { lines.append(code(line)); continue }
            let defines = lines.filter { $0.hasPrefix("local ") }.flatMap { line -> [String] in
                let names = line.dropFirst(6).prefix { $0 != "=" && $0 != "(" }
                return names.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init).filter { $0 != "function" }
            }
            let text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
            if !defines.isEmpty { paragraphs.append(Paragraph(text: text, defines: defines, words: words(text))) }
            lines = []
        }
        return paragraphs
    }

    /// A line without its comment. No string of ours holds two hyphens.
    private static func code(_ line: Substring) -> String {
        var bytes = Array(line.utf8)
        if let comment = bytes.indices.dropLast().first(where: { bytes[$0] == 0x2D && bytes[$0 + 1] == 0x2D }) {
            bytes.removeSubrange(comment...)
        }
        while bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    private static func compose(_ file: String, library: [Paragraph]) -> String {
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        // The flags must stay the very first line.
        let flags = lines.first?.hasPrefix("#!") == true ? String(lines.removeFirst()) + "\n" : ""
        let body = lines.map(code).filter { !$0.isEmpty }.joined(separator: "\n")
        var needed = words(body)
        var parts: [String] = []
        for paragraph in library.reversed() where paragraph.defines.contains(where: needed.contains) {
            needed.formUnion(paragraph.words)
            parts.append(paragraph.text)
        }
        return flags + (parts.reversed() + [body]).joined(separator: "\n") + "\n"
    }
}
