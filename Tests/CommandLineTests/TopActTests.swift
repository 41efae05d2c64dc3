import TintypeCore
import Testing

@testable import TintypeTop

/// The keys of `tintype top` that act on a row, and what is said afterwards.
@Suite struct TopActTests {
    private func press(_ keys: String, in model: inout TopModel) -> [TopModel.Effect] { TopExample.press(keys, in: &model) }
    private func lines(_ model: TopModel, _ columns: Int = 110) -> [String] { TopExample.lines(model, columns) }

    @Test func `a queue is paused after a question, and resumed without one`() throws {
        var model = try TopExample.model()
        #expect(press("p", in: &model).isEmpty && model.question?.text.contains("pause the queue default?") == true)
        #expect(lines(model)[28].contains("pause the queue default?") && lines(model)[28].contains("y yes"), "\(lines(model))")
        #expect(press("n", in: &model).isEmpty && model.question == nil && model.notice?.text == "nothing was done")
        #expect(press("py", in: &model) == [.call(method: "queue.pause", params: ["queue": "default"], done: "default is paused")])
        #expect(press("jp", in: &model) == [.call(method: "queue.resume", params: ["queue": "bulk"], done: "bulk is open")])
        // A paste is no answer.
        #expect(press("\u{1b}[Ap\u{1b}[200~y\u{1b}[201~", in: &model).isEmpty)
    }

    @Test func `a worker is drained after a question, and claims again without one`() throws {
        var model = try TopExample.model(.workers)
        #expect(press("qy", in: &model) == [.call(method: "workers.quiet", params: ["worker": "w-1", "quiet": true], done: "w-1 claims nothing new")])
        #expect(press("jq", in: &model) == [.call(method: "workers.quiet", params: ["worker": "w-2", "quiet": false], done: "w-2 claims again")])
        var other = try TopExample.model(.queues)
        #expect(
            press("q", in: &other).isEmpty && other.question == nil && other.notice?.text == "in workers, q drains a worker, or lets it claim again; x leaves")
    }

    @Test func `a dead letter is retried if all of it was kept`() throws {
        var model = try TopExample.model(.dead)
        #expect(
            press("r", in: &model)
                == [.call(method: "dead.retry", params: ["queue": "default", "ids": ["d-1"]], done: "d-1 is queued again, as receipt retry-d-1")])
        #expect(press("jr", in: &model).isEmpty && model.notice == .init(text: "d-2 cannot be retried: only its URL is kept", isBad: true))
    }

    @Test func `a dead letter is discarded after a question`() throws {
        var model = try TopExample.model(.dead)
        #expect(press("d", in: &model).isEmpty && model.question?.text.contains("discard the dead letter d-1?") == true)
        #expect(press("n", in: &model).isEmpty && model.notice?.text == "nothing was done")
        // One that cannot be retried can be discarded.
        let effect = TopModel.Effect.call(method: "dead.remove", params: ["queue": "default", "ids": ["d-2"]], done: "d-2 is discarded")
        #expect(press("jdy", in: &model) == [effect])
    }

    @Test func `a group of failures is asked for again, with its status if it has one`() throws {
        var model = try TopExample.model(.failures)
        let first: JSON = ["limit": 1000, "error": "httpStatus", "status": 404, "host": "a.example", "queue": "default"]
        #expect(press("r", in: &model) == [.call(method: "failures.retry", params: first, done: "httpStatus 404 from a.example")])
        let second: JSON = ["limit": 1000, "error": "badImageData", "host": "b.example", "queue": "bulk"]
        #expect(press("jr", in: &model) == [.call(method: "failures.retry", params: second, done: "badImageData from b.example")])
        // The blacklist knows the first error of a source, and no dead letter has this one.
        model.snapshot[.failures].items = [["error": "blacklisted", "status": 404, "host": "a.example", "queue": "default"]]
        #expect(press("r", in: &model).isEmpty && model.notice?.isBad == true && model.notice?.text.contains("in the tab blacklist") == true)
    }

    @Test func `an entry of the blacklist is removed`() throws {
        var model = try TopExample.model(.blacklist)
        #expect(
            press("d", in: &model) == [
                .call(
                    method: "blacklist.remove", params: ["id": "b-1", "queue": "default"], done: "https://a.example/gone\u{202e}gnp.png may be asked again")
            ])
        model.notice = .init(text: "https://a.example/gone\u{202e}gnp.png may be asked again", isBad: false)
        #expect(lines(model)[28].contains("gone\\u202egnp.png may be asked again"), "\(lines(model)[28])")
    }

    @Test(arguments: [
        ("r", "in dead, r retries a dead letter; in failures, r asks for the sources of a group again"),
        ("d", "in dead, d discards a dead letter; in blacklist, d takes a source off the blacklist"), ("z", "no key z; ? lists the keys"),
    ])
    func `a key of another tab says where it counts`(key: String, text: String) throws {
        var model = try TopExample.model(.hosts)
        #expect(press(key, in: &model).isEmpty && model.notice?.text == text, "\(model.notice?.text ?? "")")
    }

    @Test(arguments: [
        (#"{"retried":1,"pardoned":0}"#, "timeout from a: 1 dead letter queued again, 0 sources off the blacklist", false),
        (#"{"retried":0,"pardoned":2}"#, "timeout from a: 0 dead letters queued again, 2 sources off the blacklist", false),
        (#"{"retried":999,"pardoned":1}"#, "timeout from a: 999 dead letters queued again, 1 source off the blacklist; there may be more", false),
        (#"{"retried":0,"pardoned":0}"#, "nothing was done: no dead letter and no blacklisted source is of timeout from a", true),
        (#"{"retried":1}"#, "timeout from a", false), (#"{"retried":0}"#, "nothing was done: it is not there any more", true),
        (#"{"removed":1}"#, "timeout from a", false), (#"{"removed":0}"#, "nothing was done: it is not there any more", true),
        (#"{"queue":"default"}"#, "timeout from a", false),
    ])
    func `an answer says how many`(answer: String, text: String, isBad: Bool) throws {
        #expect(TopModel.Notice(try TopExample.json(answer), done: "timeout from a") == .init(text: text, isBad: isBad))
    }

    @Test func `every key of a tab is at its foot and in the help`() throws {
        for (tab, key) in TopKey.all {
            var model = try TopExample.model(tab)
            #expect(lines(model)[29].contains("\(key.character) \(key.brief)"))
            _ = press("?", in: &model)
            #expect(lines(model).joined(separator: "\n").contains("in \(tab.name): \(key.meaning)"))
        }
    }
}
