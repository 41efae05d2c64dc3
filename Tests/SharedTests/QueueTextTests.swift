import Foundation
import TintypeCore
import TintypeTransport
@testable import TintypeQueue
import TestSupport
import Testing

/// The texts that the queue writes and reads, without a Redis.
@Suite(.tags(.optimized)) struct QueueTextTests {
    @Test func `a channel message is read back`() throws {
        let event = try #require(QueueEvent(Array("7\n12-ab\nprogress\n1700000000.125\n\"phase\":\"decode\"\nr:1:3,r2:14".utf8)))
        #expect(event.number == 7 && event.fetch == "12-ab" && event.type == .progress && event.at == "1700000000.125")
        #expect(event.receipts.map(\.receipt) == ["r:1", "r2"] && event.receipts.map(\.seq) == [3, 14])
        let text = event.publicText(for: event.receipts[0], queue: "default", meta: #","tag":1"#)
        #expect(
            try JSON(parsing: text) == [
                "receipt": "r:1", "seq": 3, "type": "progress", "at": 1_700_000_000.125, "queue": "default", "tag": 1, "phase": "decode",
            ])
    }

    @Test func `types of events are read as they are written, and one of another build is handed on`() {
        for type in EventType.known { #expect(EventType(type.text) == type && type.text == "\(type)") }
        #expect(EventType("born") == .other("born") && EventType("born").text == "born" && !EventType("born").isTerminal)
        #expect(EventType.known.filter(\.isTerminal) == [.succeeded, .failed, .cancelled])
        for state in ReceiptState.allCases { #expect(EventType(state.rawValue).isTerminal == state.isTerminal) }
        let scripts = QueueScripts.sources.values.joined()
        for type in EventType.known { #expect(scripts.contains("'\(type.text)'"), "no script says \(type)") }
    }

    @Test func `each word that Swift reads is one that the scripts write`() {
        let said: [(script: String, words: [String])] = [
            ("submit", SubmitReply.allCases.map(\.rawValue)), ("cancel", CancelAnswer.allCases.map(\.rawValue)),
            ("group-append", AppendReply.allCases.map(\.rawValue)),
            ("group-begin", GroupBeginAnswer.allCases.map(\.rawValue)), ("group-cancel", GroupCancelAnswer.allCases.map(\.rawValue)),
        ]
        for (script, words) in said {
            for word in words { #expect(QueueScripts.sources[script]?.contains("'\(word)'") == true, "\(script) does not say \(word)") }
        }
        let all = QueueScripts.sources.values.joined()
        for word in RunReply.allCases.map(\.rawValue) + PlainReply.allCases.map(\.rawValue) { #expect(all.contains("'\(word)'"), "nothing says \(word)") }
    }

    @Test(arguments: ["", "x", "1\n2\n3", "a\nf\nt\n1\n\n", "1\nf\nt\n1\n\nr1", "1\nf\nt\n1\n\nr1:x", "1\nf\nt\n1\n\nr:1\nmore"])
    func `a foreign channel message is not read`(text: String) {
        #expect(QueueEvent(Array(text.utf8)) == nil)
    }

    @Test(arguments: ["", "cancel", "cancel|f", "cancel|f|x", "cancel|f|1|2", "stop|f|1"])
    func `a foreign control message is not read`(text: String) {
        #expect(ControlMessage(Array(text.utf8)) == nil)
    }

    @Test func `control messages are read`() {
        #expect(ControlMessage(Array("cancel|1-a|9".utf8)) == .cancel(RunLease(fetch: "1-a", token: 9)))
        #expect(ControlMessage(Array("watch|1-a|9|250".utf8)) == .watch(RunLease(fetch: "1-a", token: 9), every: .milliseconds(250)))
        #expect(ControlMessage(Array("yield|1-a|9".utf8)) == .yield(RunLease(fetch: "1-a", token: 9)))
    }

    @Test func `flags stay first, scripts that accept work may be refused when memory is full, and no script contains unused functions`() {
        for script in QueueScripts.shipped.all {
            let first = script.source.prefix { $0 != "\n" }
            if ["submit", "reserve", "callback-store", "group-start", "group-append"].contains(script.name) {
                #expect(!script.source.contains("#!"))
            } else {
                #expect(first == "#!lua flags=allow-oom" || first == "#!lua flags=no-writes", "\(script.name)")
            }
            #expect(!script.source.contains("--"), "\(script.name) still has comments")
            #expect(script.source.contains("local P, call = KEYS[1], redis.call"), "\(script.name)")
        }
        #expect(QueueScripts.shipped[.workerRemove].source.split(separator: "function").count == 2, "only that of the settings")
        #expect(QueueScripts.shipped.all.map(\.name) == QueueScript.allCases.map(\.rawValue))
    }

    @Test func `each file of the folder is a script or has functions, and is embedded under its name`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Shared/Queue/Scripts")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(QueueScripts.sources.count == files.count)
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            #expect(try QueueScripts.sources[name] == String(contentsOf: file, encoding: .utf8), "\(name)")
        }
    }
}
