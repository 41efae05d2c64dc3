import TintypeCore

/// A key that does something with the chosen row of a tab.
struct TopKey: Sendable {
    let character: Character
    /// The words at the foot of the screen.
    let brief: String
    /// The words of the help, after the name of the tab.
    let meaning: String
    let act: @Sendable (_ item: JSON) -> TopAct

    /// All of them, in the order of the tabs.
    static let all = TopTab.allCases.flatMap { tab in tab.keys.map { (tab: tab, key: $0) } }

    /// Returns where a character has a meaning; nil if it has none.
    static func hint(_ character: Character) -> String? {
        let places = all.filter { $0.key.character == character }.map { "in \($0.tab.name), \(character) \($0.key.meaning)" }
        // In many programs q leaves.
        return places.isEmpty ? nil : (places + (character == "q" ? ["x leaves"] : [])).joined(separator: "; ")
    }
}

/// The answer to a key on a row: a method is called at once or after a question, or the row does not permit it. A value.
enum TopAct: Sendable, Hashable {
    case call(TopModel.Effect)
    case ask(String, TopModel.Effect)
    case refuse(String)

    /// Calls a method, after a question if there is one.
    private static func call(_ method: String, _ params: JSON, done: String, asking question: String? = nil) -> TopAct {
        let effect = TopModel.Effect.call(method: method, params: params, done: done)
        return question.map { .ask($0, effect) } ?? .call(effect)
    }

    static func pause(_ queue: JSON) -> TopAct {
        let name = queue["name"]?.string ?? ""
        guard queue["paused"]?.bool != true else { return call("queue.resume", ["queue": .string(name)], done: "\(name) is open") }
        return call(
            "queue.pause", ["queue": .string(name)], done: "\(name) is paused",
            asking: "pause the queue \(name)? Its workers claim nothing from it until you resume it")
    }

    static func quiet(_ worker: JSON) -> TopAct {
        let (id, state) = (worker["id"]?.string ?? "", worker["state"]?.string ?? "")
        guard ["running", "starting", "quiet"].contains(state) else { return .refuse("\(id) is \(state): it claims nothing any more") }
        let isQuiet = state == "quiet"
        return call(
            "workers.quiet", ["worker": .string(id), "quiet": .bool(!isQuiet)], done: isQuiet ? "\(id) claims again" : "\(id) claims nothing new",
            asking: isQuiet ? nil : "drain the worker \(id)? It claims nothing new until you resume it")
    }

    static func retry(_ letter: JSON) -> TopAct {
        let id = letter["id"]?.string ?? ""
        guard letter["retryable"]?.bool == true else { return .refuse("\(id) cannot be retried: only its URL is kept") }
        return call("dead.retry", ["queue": letter["queue"] ?? "default", "ids": [.string(id)]], done: "\(id) is queued again, as receipt retry-\(id)")
    }

    static func discard(_ letter: JSON) -> TopAct {
        let id = letter["id"]?.string ?? ""
        return call(
            "dead.remove", ["queue": letter["queue"] ?? "default", "ids": [.string(id)]], done: "\(id) is discarded",
            asking: "discard the dead letter \(id)? Nothing brings it back")
    }

    /// The most sources of a group that are asked for again at once: as many as the method takes.
    static let most = 1000

    static func askAgain(_ group: JSON) -> TopAct {
        guard group["error"]?.string != "blacklisted" else {
            return .refuse("these requests found their source blacklisted: ask for the group of its cause, or remove it in the tab blacklist")
        }
        var params: JSONObject = ["limit": JSON(most)]
        for name in ["error", "status", "host", "queue"] { params[name] = group[name] }
        return call("failures.retry", .object(params), done: "\(cause(group)) from \(group["host"]?.string ?? "")")
    }

    static func pardon(_ entry: JSON) -> TopAct {
        let id = entry["id"]?.string ?? ""
        var params: JSONObject = ["id": .string(id)]
        params["queue"] = entry["queue"]
        return call("blacklist.remove", .object(params), done: "\(entry["url"]?.string ?? id) may be asked again")
    }

    /// Returns the name of an error and the status: of a group of failures, or of an entry of the blacklist.
    static func cause(_ item: JSON) -> String {
        let name = item["error"]?.string ?? item["cause"]?.string ?? ""
        return name + (item["status"]?.int.map { " \($0)" } ?? "")
    }
}

extension TopModel.Notice {
    /// Says how a call has ended.
    /// - Parameter done: the sentence of an effect, for `failures.retry` the name of the group.
    init(_ answer: JSON, done: String) {
        if let pardoned = answer["pardoned"]?.int {
            let retried = answer["retried"]?.int ?? 0
            guard retried + pardoned > 0 else {
                self.init(text: "nothing was done: no dead letter and no blacklisted source is of \(done)", isBad: true)
                return
            }
            let more = retried + pardoned < TopAct.most ? "" : "; there may be more"
            let letters = "\(retried) dead letter\(retried == 1 ? "" : "s") queued again"
            let sources = "\(pardoned) source\(pardoned == 1 ? "" : "s")"
            self.init(text: "\(done): \(letters), \(sources) off the blacklist\(more)", isBad: false)
            return
        }
        let isNothing = answer["retried"]?.int == 0 || answer["removed"]?.int == 0
        self.init(text: isNothing ? "nothing was done: it is not there any more" : done, isBad: isNothing)
    }
}
