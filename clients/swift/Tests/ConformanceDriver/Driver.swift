import Foundation
import Synchronization
import TintypeClient

/// The driver of this client for the exchanges that all clients have in common: clients/conformance/README.md says what it is asked for.
final class Driver: Sendable {
    private struct State {
        var clients: [Tintype] = []
        var work: [Int: Task<Void, Never>] = [:]
        var tasks: [Int: ImageTask] = [:]
        var batches: [Int: Batch] = [:]
        var images: [Int: LoadedImage] = [:]
        var place: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let output = Mutex(FileHandle.standardOutput)

    private func say(_ id: Int, _ name: String, _ value: JSON) {
        let line = JSON.object(JSONObject([("id", .integer(id)), (name, value)]))
        output.withLock { $0.write(Data("\(line)\n".utf8)) }
    }

    func take(_ asked: JSON) {
        if asked["do"] == "cancel" { return state.withLock { $0.work[asked["of"]!.intValue!] }?.cancel() ?? () }
        let id = asked["id"]!.intValue!
        let work = Task {
            do {
                say(id, "value", try await answer(id, asked["do"]!.stringValue!, asked))
            } catch let error as TintypeError {
                if Task.isCancelled, error.name == .cancelled { say(id, "cancelled", true) } else { say(id, "error", Self.json(error)) }
            } catch {
                say(id, "fault", .string("\(error)"))
            }
        }
        state.withLock { $0.work[id] = work }
    }

    /// Does what a line says.
    private func answer(_ id: Int, _ word: String, _ asked: JSON) async throws -> JSON {
        switch word {
        case "client": try connect(asked)
        case "end", "drop":
            let ended = state.withLock { state in
                defer { state = State() }
                return state
            }
            if word == "end" { for client in ended.clients { client.close() } }
            for (other, work) in ended.work where other != id { work.cancel() }
        case "place":
            let place = asked["place"]!.objectValue!
            state.withLock { $0.place = Dictionary(uniqueKeysWithValues: place.map { ($0.key, $0.value.stringValue!) }) }
        case "events":
            var seen: [JSON] = []
            for await event in try await task(asked["of"]!).events { seen.append(Self.text(event)) }
            return .array(seen)
        case "act": return try await act(asked)
        case "bytes": return .integer(try await state.withLock { $0.images[asked["of"]!.intValue!]! }.bytes().count)
        default: return try await call(id, word, asked, state.withLock { $0.clients.last! })
        }
        return nil
    }

    private func call(_ id: Int, _ word: String, _ asked: JSON, _ tintype: Tintype) async throws -> JSON {
        switch word {
        case "load":
            let image = try await tintype.image(for: ImageRequest(json: asked["params"]!))
            state.withLock { $0.images[id] = image }
            return Self.json(image)
        case "submit": return try await follow(id, tintype.submit(ImageRequest(json: asked["params"]!)))
        case "task": return try await follow(id, tintype.task(asked["receipt"]!.stringValue!, timeout: .seconds(asked["within"]!.doubleValue!)))
        case "probe": return try await tintype.probe(ImageRequest(json: asked["params"]!)).json
        case "call":
            return try await tintype.call(asked["method"]!.stringValue!, asked["params"]!, timeout: .seconds(asked["within"]?.doubleValue ?? 30))
        case "coordinator": return .string(tintype.coordinator)
        case "close":
            tintype.close()
            return nil
        default: return try await group(id, word, asked, tintype)
        }
    }

    private func connect(_ asked: JSON) throws {
        let given = asked["options"]!
        var options = Tintype.Options()
        options.silence = .seconds(given["silence"]!.doubleValue!)
        options.connectTimeout = .seconds(given["connectTimeout"]!.doubleValue!)
        (options.tls.authorityFile, options.tls.certificateFile) = (given["ca"]?.stringValue, given["cert"]?.stringValue)
        options.tls.keyFile = given["key"]?.stringValue
        options.trace = { [weak self] in self?.state.withLock { $0.place } ?? [:] }
        if let token = given["token"]?.stringValue { options.token = Token(token) }
        if let tokens = given["tokens"]?.arrayValue {
            struct NoToken: Error {}
            let left = Mutex(tokens[...])
            options.token = Token {
                guard let token = left.withLock({ $0.count == 1 ? $0.first : $0.popFirst() }) else { throw NoToken() }
                return token.stringValue!
            }
        }
        let tintype = try Tintype(asked["addresses"]!.arrayValue!.map { $0.stringValue! }.joined(separator: ","), options: options)
        state.withLock { $0.clients.append(tintype) }
    }

    private func follow(_ id: Int, _ task: ImageTask) async throws -> JSON {
        state.withLock { $0.tasks[id] = task }
        Task {
            for await event in task.events { say(id, "event", Self.text(event)) }
            say(id, "event", "end")
        }
        return Self.json(try await task.image)
    }

    private func group(_ id: Int, _ word: String, _ asked: JSON, _ tintype: Tintype) async throws -> JSON {
        let requests = try asked["items"]!.arrayValue!.map { try ImageRequest(json: $0) }
        let options = asked["options"]!
        switch word {
        case "prefetch":
            let end = try await tintype.prefetch(requests, concurrency: options["concurrency"]?.intValue).finished()
            let errors = JSONObject(end.errors.map { ("\($0.key)", Self.json($0.value)) })
            return ["finished": .integer(end.finished), "skipped": .integer(end.skipped), "errors": .object(errors)]
        case "chain": return ["results": .array(try await tintype.chain(requests).images.map(Self.json))]
        default:
            let mode = options["mode"]?.stringValue.map { BatchMode(rawValue: $0) } ?? .failFast
            let batch = tintype.batch(requests, mode: mode, concurrency: options["concurrency"]?.intValue ?? 64)
            state.withLock { $0.batches[id] = batch }
            if word == "batch" { return ["results": .array(try await batch.images.map(Self.json))] }
            var results = [JSON](repeating: nil, count: requests.count)
            for try await item in batch {
                switch item.result {
                case .success(let image): results[item.index] = Self.json(image)
                case .failure(let error): results[item.index] = ["error": Self.json(error)]
                }
                say(id, "event", "item")
            }
            return ["results": .array(results)]
        }
    }

    private func act(_ asked: JSON) async throws -> JSON {
        if let batch = state.withLock({ $0.batches[asked["of"]!.intValue!] }) { return .bool(try await batch.cancel()) }
        let task = try await task(asked["of"]!)
        switch asked["act"]!.stringValue! {
        case "pause": try await task.pause()
        case "resume": try await task.resume()
        case "priority": try await task.setPriority(ImageRequest.Priority(json: asked["value"]!))
        case "prioritize": task.priority = try ImageRequest.Priority(json: asked["value"]!)
        case "state": return try await task.info().json
        default: return .bool(try await task.cancel())
        }
        return nil
    }

    /// The task of an earlier line, which may be at work still.
    private func task(_ id: JSON) async throws -> ImageTask {
        while true {
            if let task = state.withLock({ $0.tasks[id.intValue!] }) { return task }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func text(_ event: ImageEvent) -> JSON {
        let type = event.json["type"]?.stringValue ?? ""
        return .string(type == "rendition" ? "rendition \(event.json["name"]?.stringValue ?? "")" : type)
    }

    private static func json(_ image: LoadedImage) -> JSON {
        var members = image.result.json.objectValue!
        if image.first != nil { members["width"] = .integer(image.width) }
        return .object(members)
    }

    /// The members of an error under the names of the protocol.
    private static func json(_ error: TintypeError) -> JSON {
        var members = error.data
        members["name"] = .string(error.name.rawValue)
        members["code"] = .integer(error.code)
        members["message"] = .string(error.message)
        members["retryable"] = .bool(error.isRetryable)
        members["phase"] = error.phase.map { .string($0.rawValue) }
        return .object(members)
    }
}
