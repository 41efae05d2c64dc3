import Foundation
import Testing

@testable import TintypeClient

/// The typed answers, beside what a real service says.
@Suite struct AnswerTests {
    /// Passes calls on, and keeps the last answer as it came.
    private actor Recorder: MethodCaller {
        private let client: Tintype
        private var last: JSON = .null

        init(_ client: Tintype) { self.client = client }

        func call(_ method: String, _ params: JSON) async throws(TintypeError) -> JSON {
            last = try await client.call(method, params)
            return last
        }

        /// Whether a value has everything that the last answer had.
        func expectWhole(_ value: some JSONEncodable, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(AnswerTests.plain(value.json) == AnswerTests.plain(last), sourceLocation: sourceLocation)
        }
    }

    @Test func everyAnswerIsReadWhole() async throws {
        try await Service.run { service in
            let recorder = Recorder(try Tintype(service.tcp()))
            let methods = ServiceMethods(recorder)
            let url = service.picture()
            let missing = "http://\(service.origin.words["http"]!)/status/404"

            // The properties of the picture, and the bytes.
            let request = ImageRequest(
                url, transform: .resize(40), describe: ImageRequest.Trait.allCases, samples: .init(points: [[1, 1]]), metadata: ["a": "b"], deliver: .inline)
            let image = try await methods.imageLoad(request)
            await recorder.expectWhole(image)
            #expect(image.traits?.blurhash != nil && image.traits?.colors != nil && image.renditions.first?.data != nil)
            await recorder.expectWhole(try await methods.imageLoad(request))
            await recorder.expectWhole(try await methods.imageLoad(ImageRequest(missing, fallback: .color("red", width: 3, height: 4))))
            await recorder.expectWhole(try await methods.imageLoad(ImageRequest("data:application/json,{\"a\":1}", kind: .json)))
            await recorder.expectWhole(try await methods.imageProbe(ImageRequest(url, describe: [.animation, .exif])))
            await #expect { try await methods.imageLoad(ImageRequest(missing)) } throws: { error in
                let error = error as? TintypeError
                return error?.name == .blacklisted || error?.name == .httpStatus && error?.status == 404 && error?.phase == .download
            }

            // A receipt, from its beginning to its end.
            let held = "http://\(service.origin.words["http"]!)/gate?gate=answers"
            await recorder.expectWhole(try await methods.imageSubmit(ImageRequest(held, receipt: "answers-1", detached: true)))
            await recorder.expectWhole(try await methods.receiptGet(receipt: "answers-1"))
            #expect(try await methods.receiptSetPriority(receipt: "answers-1", priority: .high) == 4)
            #expect(try await methods.receiptPause(receipt: "answers-1") == .paused)
            #expect([.queued, .running, .delayed].contains(try await methods.receiptResume(receipt: "answers-1")))
            await recorder.expectWhole(try await methods.receiptCancel(receipt: "answers-1"))
            await recorder.expectWhole(try await methods.receiptCancel(receipts: ["answers-1", "answers-2"]))
            await recorder.expectWhole(try await methods.receiptGet(receipt: "answers-1", wait: 20))

            // Groups.
            let batch = try await methods.batchStart(items: [ImageRequest(url, .resize(41)), ImageRequest(missing)], mode: .settleAll)
            await recorder.expectWhole(batch)
            let group = try await methods.groupGet(group: batch.group, wait: 60)
            await recorder.expectWhole(group)
            #expect(group.kind == .batch && group.state == .succeeded && group.results?.map(\.state) == [.succeeded, .failed])
            await recorder.expectWhole(try await methods.groupCancel(group: batch.group))
            let prefetch = try await methods.prefetchStart(urls: [url, missing])
            await recorder.expectWhole(try await methods.groupGet(group: prefetch.group, wait: 60))

            // The service.
            await recorder.expectWhole(try await methods.formatsList())
            await recorder.expectWhole(try await methods.systemInfo())
            await recorder.expectWhole(try await methods.systemValidate())
            await recorder.expectWhole(try await methods.activityGet())
            let workers = try await methods.workersList()
            await recorder.expectWhole(workers)
            #expect(workers.first?.state == .running)
            await recorder.expectWhole(try await methods.queueList())
            await recorder.expectWhole(try await methods.queueConfigure(queue: "answers", order: .lifo, maxConcurrent: 3, hostLimits: ["example.org": 2]))
            await recorder.expectWhole(try await methods.deadList(queue: "default"))
            await recorder.expectWhole(try await methods.blacklistList())
            #expect(try await methods.blacklistClear() >= 1)

            // The caches.
            let key = try #require(image.renditions.first?.key)
            #expect(try await methods.cacheContains(key: key).contains(.results))
            await recorder.expectWhole(try await methods.cacheGet(key: key))
            #expect(try await methods.cachePin(key: key) == 1)
            #expect(try await methods.cacheUnpin(key: key) == 1)
            #expect(try await methods.cacheSetMetadata(key: key) == 1)
            await recorder.expectWhole(try await methods.cachePut(data: Base64.encode(image.renditions.first?.data ?? []), key: "answers"))
            await recorder.expectWhole(try await methods.cacheGet(key: "answers"))
            await recorder.expectWhole(try await methods.cacheStats())
            await recorder.expectWhole(try await methods.cachePurge(url: url))
            await recorder.expectWhole(try await methods.cacheRemove(key: "answers"))
            await recorder.expectWhole(try await methods.cacheTrim())
            await recorder.expectWhole(try await methods.cacheClear())
        }
    }

    /// The value without absent members, with numbers as `Double`, and without the `group` that the results of groups have beside what is described.
    private static func plain(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                JSONObject(
                    members.filter { $0.value != .null && !($0.key == "group" && members["renditions"] != nil) }.map { ($0.key, plain($0.value)) }))
        case .array(let elements): .array(elements.map(plain))
        case .integer(let number): .number(Double(number))
        case .null, .bool, .number, .string: json
        }
    }
}
