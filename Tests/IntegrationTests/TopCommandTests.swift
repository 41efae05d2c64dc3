import Foundation
import TestSupport
import TintypeCore
import Testing

/// `tintype top` in a real terminal, with a real service.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct TopCommandTests {
    private func command(_ deployment: Deployment, _ words: String...) -> String {
        ([ServiceProcess.path("tintype"), "top", "--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"] + words).joined(separator: " ")
    }

    /// Starts `tintype top` in a terminal, and returns once it shows the service.
    private func top(_ deployment: Deployment, _ terminal: Tmux, _ words: String...) async throws {
        try await terminal.type(([command(deployment)] + words).joined(separator: " "))
        try await terminal.until(shows: "x leave")
    }

    /// Waits until the program is gone and the shell has its terminal back: screen, cursor and settings.
    private func restored(_ terminal: Tmux, _ settings: String) async throws {
        try await terminal.until("the shell is back") { $0.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix(Tmux.prompt) }
        #expect(try await terminal.fact("#{alternate_on} #{cursor_flag} #{wrap_flag}") == "0 1 1")
        let now = try await self.settings(terminal)
        #expect(now == settings)
    }

    /// The settings of the terminal, as stty names them.
    private func settings(_ terminal: Tmux) async throws -> String {
        try await terminal.type("clear; stty -g; echo all of it")
        // The screen may be caught in the middle of a line.
        let screen = try await terminal.until("stty answers") { $0.split(separator: "\n").contains("all of it") }
        return screen.split(separator: "\n").first { $0.contains(":") && !$0.contains("stty") }.map(String.init) ?? ""
    }

    @Test func `every tab shows its part of a real service, and keys pause, drain and retry`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0].ready["worker"] ?? ""
        let dead = try await client.call(
            "image.load", #"{"url":"\#(deployment.url("/status/503"))","as":"bytes","deadline":60,"fetch":{"retry":{"attempts":1}}}"#)
        try #require(dead.error?.name == "httpStatus", "\(dead)")
        _ = try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        _ = try await client.call("image.submit", #"{"url":"\#(deployment.url("/hang?a=1"))","receipt":"hanging","detached":true}"#)

        let terminal = try await Tmux(columns: 140, environment: ["COLORTERM": "", "TERM": "tmux-256color"])
        try await top(deployment, terminal)
        let first = try await terminal.until("the queues") { $0.contains("default") && $0.contains("bulk") && $0.contains("1/64") }
        #expect(first.contains("1 coordinator · 1 worker ·") && first.contains("requests") && first.contains("5 dead 1"), "\(first)")
        #expect(try await terminal.looks().contains("38;5;"), "the terminal has 256 colors")
        try await terminal.keys("2")
        // The values of queries are hidden.
        try await terminal.until("the run") { $0.contains("/hang?a=***") && $0.contains("download") }
        try await terminal.keys("Tab")
        try await terminal.until("the host") { $0.contains("1/6") && $0.contains("127.0.0.1") && $0.contains("of limit") }

        // Draining a worker, and back.
        try await terminal.keys("Right")
        try await terminal.until("the worker") { $0.contains(worker) && $0.contains("of permits") }
        try await terminal.keys("q")
        try await terminal.until(shows: "drain the worker \(worker)?")
        try await terminal.keys("y")
        try await terminal.until("it is quiet") { $0.contains("\(worker) claims nothing new") || $0.contains("quiet  ") }
        try await Gate.until("the service knows it") { try await client.call("workers.list").result?.array?.first?["state"] == "quiet" }
        // The keys below the table name the word too.
        try await terminal.until("the table says so") { $0.split(separator: "\n").contains { $0.contains(worker) && $0.contains(" quiet ") } }
        try await terminal.keys("q")
        try await Gate.until("it claims again") { try await client.call("workers.list").result?.array?.first?["state"] == "running" }

        // A dead letter is tried again.
        try await terminal.keys("5")
        try await terminal.until("the dead letter") { $0.contains("/status/503") && $0.contains("httpStatus 503") }
        try await terminal.keys("r")
        try await terminal.until(shows: "is queued again, as receipt retry-")

        // Events, while their tab is shown.
        try await terminal.keys("8")
        // The dead letter may end again meanwhile, so the table may not be empty.
        try await Gate.until("an event is shown", within: .seconds(60)) {
            _ = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png"))","transform":[{"op":"resize","width":40}]}"#)
            return try await terminal.screen().contains("succeeded")
        }
        #expect(try await terminal.screen().contains("/picture.png"))

        // A queue is paused, found by a filter, and resumed.
        try await terminal.keys("1")
        try await terminal.keys("/")
        try await terminal.keys("b", "u", "l", "Enter")
        try await terminal.until("the filter") { $0.contains("only rows with \"bul\"") && !$0.contains("1/64") }
        try await terminal.keys("p")
        try await terminal.until(shows: "pause the queue bulk?")
        try await terminal.keys("n")
        try await terminal.until(shows: "nothing was done")
        #expect(try await client.call("queue.get", #"{"queue":"bulk"}"#).result?["paused"]?.bool == false)
        try await terminal.keys("p", "y")
        try await terminal.until(shows: "bulk is paused")
        #expect(try await client.call("queue.get", #"{"queue":"bulk"}"#).result?["paused"]?.bool == true)
        // Until the next round, the key would ask for a pause again.
        try await terminal.until("the row says so") { $0.split(separator: "\n").contains { $0.hasPrefix("▸bulk") && $0.contains(" paused ") } }
        try await terminal.keys("p")
        try await terminal.until(shows: "bulk is open")
        try await terminal.keys("Escape")
        try await terminal.until("all queues") { $0.contains("default") && $0.contains("bulk") }
        try await terminal.keys("?")
        try await terminal.until(shows: "Any key goes back")
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
        _ = try await client.call("receipt.cancel", #"{"receipts":["hanging"]}"#)
    }

    @Test func `failures are asked for again, dead letters discarded, and sources taken off the blacklist`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func fail(_ path: String) async throws {
            let answer = try await client.call(
                "image.load", #"{"url":"\#(deployment.url(path))","as":"bytes","deadline":60,"fetch":{"retry":{"attempts":1}}}"#)
            try #require(answer.error?.name == "httpStatus", "\(answer)")
        }
        func urls(_ method: String) async throws -> [String] {
            let items = try await client.call(method, #"{"queue":"default"}"#).result?["items"]?.array ?? []
            return items.compactMap { $0["url"]?.string?.split(separator: "/").last.map(String.init) }.sorted()
        }
        let terminal = try await Tmux(columns: 140)
        try await top(deployment, terminal)
        try await terminal.keys("6")
        try await terminal.until(shows: "nothing has failed while somebody looked")
        // From this look on, the coordinator listens to the ends of receipts, as soon as Redis has confirmed that.
        try await Gate.until("the coordinator notes failures") {
            try await fail("/status/503")
            return try await client.call("failures.list").result?["items"]?[0]?["status"] == 503
        }
        let early = try await client.call("dead.list", #"{"queue":"default"}"#).result?["items"]?.array?.compactMap { $0["id"]?.string } ?? []
        _ = try await client.call("dead.remove", #"{"queue":"default","ids":\#(early)}"#)
        try await fail("/status/503")
        try await fail("/status/404")
        try await fail("/status/410")
        try await Gate.until("they are kept") { try await urls("dead.list") == ["503"] }
        try await Gate.until("they are listed") { try await urls("blacklist.list") == ["404", "410"] }
        try await terminal.until("the groups") { screen in
            ["503", "404", "410"].allSatisfy { status in
                screen.split(separator: "\n").contains { $0.contains("httpStatus \(status)") && $0.contains("127.0.0.1") }
            }
        }

        // A group is asked for again.
        try await terminal.keys("/", "4", "0", "4", "Enter")
        try await terminal.until("the filter") { $0.contains("httpStatus 404") && !$0.contains("httpStatus 410") }
        try await terminal.keys("r")
        try await terminal.until(shows: "httpStatus 404 from 127.0.0.1: 0 dead letters queued again, 1 source off the blacklist")
        #expect(try await urls("blacklist.list") == ["410"])
        #expect(try await urls("dead.list") == ["503"])

        // A source is taken off the blacklist.
        try await terminal.keys("7")
        try await terminal.until("the blacklist") { $0.contains("/status/410") && $0.contains("refuses") && !$0.contains("/status/404") }
        try await terminal.keys("d")
        try await terminal.until(shows: "/status/410 may be asked again")
        #expect(try await urls("blacklist.list") == [])
        try await terminal.until(shows: "no source is blacklisted")

        // A dead letter is discarded.
        try await terminal.keys("5")
        try await terminal.until("the dead letter") { $0.contains("/status/503") && $0.contains("httpStatus 503") }
        try await terminal.keys("d")
        try await terminal.until(shows: "discard the dead letter")
        try await terminal.keys("n")
        try await terminal.until(shows: "nothing was done")
        #expect(try await urls("dead.list") == ["503"])
        try await terminal.keys("d", "y")
        try await terminal.until(shows: "is discarded")
        #expect(try await urls("dead.list") == [])
        try await terminal.until(shows: "no dead letters")
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
    }

    @Test func `the screen follows its size, also a tiny one`() async throws {
        let deployment = try await Deployment()
        let terminal = try await Tmux(columns: 100, rows: 30)
        try await top(deployment, terminal)
        for (columns, rows) in [(60, 16), (200, 50), (20, 4), (7, 2), (80, 24)] {
            try await terminal.resize(columns: columns, rows: rows)
            try await terminal.until("\(columns)x\(rows)") { screen in
                let lines = screen.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                let keys = lines.last.map(String.init) ?? ""
                // The keys stand at the bottom, whatever fits of them, and no line is wider than the screen.
                return lines.count == rows && keys.hasPrefix(columns < 10 ? " Tab" : " Tab next") && lines.allSatisfy { $0.count <= columns }
                    && (rows < 16 || screen.contains("requests")) && (columns < 78 || screen.contains("1 queues 1"))
            }
        }
        try await terminal.keys("C-c")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("Tab next") }
    }

    @Test func `a coordinator that is killed is missed, and found again`() async throws {
        let deployment = try await Deployment()
        let terminal = try await Tmux()
        try await top(deployment, terminal)
        try await terminal.until("the queue is shown") { $0.contains("default") }
        let port = deployment.coordinators[0].rpcPort
        await deployment.coordinators[0].kill9()
        let away = try await terminal.until(shows: "no coordinator for")
        #expect(away.contains("default"), "what was known stays: \(away)")
        // A key has its answer all the same.
        try await terminal.keys("4")
        try await terminal.until(shows: "of permits")
        _ = try await ServiceProcess(
            "tintype-coordinator",
            [
                "--redis", deployment.address, "--results", "file://\(deployment.results.path)", "--listen", "127.0.0.1:\(port)", "--http", "127.0.0.1:0",
            ])
        try await terminal.until("it is found again") { !$0.contains("no coordinator") && $0.contains(" · up ") }
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
    }

    @Test func `a coordinator that does not answer is said, and goes on`() async throws {
        let deployment = try await Deployment()
        let terminal = try await Tmux()
        try await top(deployment, terminal)
        deployment.coordinators[0].freeze()
        try await terminal.until(shows: "this is old: the coordinator does not answer")
        deployment.coordinators[0].thaw()
        try await terminal.until("it goes on") { !$0.contains("this is old") && $0.contains("1 coordinator ·") }
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
    }

    /// The process that the shell of a terminal has started.
    private func program(_ terminal: Tmux) async throws -> pid_t {
        let shell = try #require(Int32(try await terminal.fact("#{pane_pid}")))
        let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
        return try #require(children.split(separator: " ").first.flatMap { Int32($0) })
    }

    @Test(arguments: [SIGSTOP, SIGTSTP]) func `a program that was stopped from outside goes on as it was`(signal: Int32) async throws {
        let deployment = try await Deployment(workers: 0)
        let terminal = try await Tmux()
        let before = try await settings(terminal)
        try await top(deployment, terminal)
        kill(try await program(terminal), signal)
        try await terminal.until(shows: "Stopped")
        // Nobody can give the screen back at SIGSTOP.
        if signal == SIGTSTP { #expect(try await terminal.fact("#{alternate_on} #{cursor_flag} #{wrap_flag}") == "0 1 1") }
        try await terminal.type("clear; fg")
        let device = try await terminal.fact("#{pane_tty}")
        try await Gate.until("the terminal is raw again") {
            let stty = try ChildProcess("stty", ["-F", device, "-a"])
            guard await stty.finished() == 0 else { throw TestFailure(stty.errors) }
            let words = stty.output.split { " ;\n".contains($0) }
            return ["-icanon", "-echo", "-isig", "-opost"].allSatisfy { words.contains(Substring($0)) }
        }
        try await terminal.until("it is drawn anew") { $0.hasPrefix(" tintype 127.0.0.1") && $0.contains("x leave") }
        try await Gate.until("the alternate screen") { try await terminal.fact("#{alternate_on} #{cursor_flag} #{wrap_flag}") == "1 0 0" }
        // A key needs no Enter.
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
        try await restored(terminal, before)
    }

    @Test(arguments: ["x", "C-c", "TERM", "INT", "HUP", "QUIT", "C-z"]) func `the terminal is as it was, however the program ends`(way: String) async throws {
        let deployment = try await Deployment(workers: 0)
        let terminal = try await Tmux()
        let before = try await settings(terminal)
        try await terminal.type("clear; echo content from before")
        try await terminal.until(shows: "content from before")
        try await top(deployment, terminal)
        #expect(try await terminal.fact("#{alternate_on} #{cursor_flag} #{wrap_flag}") == "1 0 0")
        if let number = ["TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "QUIT": SIGQUIT][way] {
            kill(try await program(terminal), number)
            try await terminal.until("the shell") { $0.contains("content from before") && !$0.contains("x leave") }
            try await terminal.type("echo status $?")
            try await terminal.until(shows: "status \(128 + number)")
        } else {
            try await terminal.keys(way)
            try await terminal.until("the screen from before") { $0.contains("content from before") && !$0.contains("x leave") }
            if way == "C-z" {
                try await terminal.until(shows: "Stopped")
                #expect(try await terminal.fact("#{alternate_on}") == "0")
                try await terminal.type("fg")
                try await terminal.until(shows: "x leave")
                try await terminal.keys("x")
            }
            try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
            try await terminal.type("echo status $?")
            try await terminal.until(shows: "status 0")
        }
        try await restored(terminal, before)
    }

    @Test func `one frame and one object are printed for scripts, with a token and TLS`() async throws {
        let folder = try TemporaryFolder("top")
        try await TestAuthority.make(in: folder.path)
        try "sesame-sesame\nsesame-for-loads role=load\n".write(toFile: folder.path + "/token", atomically: true, encoding: .utf8)
        try "sesame-for-loads".write(toFile: folder.path + "/low", atomically: true, encoding: .utf8)
        let deployment = try await Deployment(
            coordinatorArguments: ["--token-file", folder.path + "/token", "--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"])
        let place = ["--coordinator", "tls://127.0.0.1:\(deployment.coordinators[0].rpcPort)", "--tls-ca", folder.path + "/ca.pem"]
        func top(_ words: [String]) async throws -> (status: Int32, output: String, errors: String) {
            let child = try ChildProcess(ServiceProcess.path("tintype"), ["top"] + words + place)
            return (await child.finished(), child.output, child.errors)
        }
        let token = ["--token-file", folder.path + "/token"]
        let frame = try await top(["--once", "--tab", "workers"] + token)
        #expect(frame.status == 0 && frame.output.contains(deployment.workers[0].ready["worker"] ?? "?") && !frame.output.contains("\u{1b}"), "\(frame)")
        let object = try await top(["--once", "--json"] + token)
        let json = try JSON(parsing: Array(object.output.utf8))
        #expect(
            object.status == 0 && json["queues"]?[0]?["name"] == "default" && json["workers"]?.array?.count == 1 && json["info"]?["state"] == "serving",
            "\(object)")
        let low = try await top(["--once", "--token-file", folder.path + "/low"])
        #expect(low.status == 1 && low.output.isEmpty && low.errors.contains("forbidden"), "\(low)")
        for (words, mistake) in [
            ([], "no terminal: use --once"), (["--json"], "--json needs --once"), (["--once", "--tab", "worker"], "did you mean workers?"),
        ] {
            let wrong = try await top(words + token)
            #expect(wrong.status == 2 && (wrong.errors + wrong.output).contains(mistake), "\(words): \(wrong)")
        }
    }

    @Test func `a terminal that cannot move its cursor is told of --once, and NO_COLOR has no colors`() async throws {
        let deployment = try await Deployment(workers: 0)
        let terminal = try await Tmux()
        try await terminal.type("TERM=dumb \(command(deployment))")
        try await terminal.until(shows: "use --once")
        try await terminal.type("clear; NO_COLOR=1 \(command(deployment))")
        try await terminal.until(shows: "x leave")
        let looks = try await terminal.looks()
        // The codes 39 and 49 end a color.
        #expect(looks.firstMatch(of: /\u{1b}\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/) == nil, "\(looks)")
        try await terminal.keys("x")
        try await terminal.until("the shell") { $0.contains(Tmux.prompt) && !$0.contains("x leave") }
    }
}
