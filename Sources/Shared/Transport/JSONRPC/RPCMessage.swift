package import TintypeCore

/// A message of a client, as defined by JSON-RPC 2.0. Pure.
package enum RPCMessage: Sendable, Hashable {
    /// A request, to be answered with the same id: a string, a number or null.
    case request(id: JSON, method: String, params: JSON?)
    case notification(method: String, params: JSON?)
    /// An invalid request, answered with this error, and with its id if it has one.
    case invalid(id: JSON, TintypeError)

    /// The content of one message on the wire.
    package enum Content: Sendable, Hashable {
        case single(RPCMessage)
        /// A batch, answered by one array when all its members have ended.
        case batch([RPCMessage])
    }

    /// The maximum number of members of a batch. A member may be two bytes long and its answer two hundred. Without a limit the longest message would
    /// take seconds of all other clients' time. It would also exceed every limit on the requests in flight of a connection.
    package static let maxMembers = 1024

    /// The bytes from which a message is read on another thread. The values of so many bytes take a few milliseconds.
    package static let long = 64 << 10

    /// Reads one message. Never fails: invalid JSON or an invalid request becomes an `invalid` message.
    package static func read(_ bytes: some Sequence<UInt8>, maxDepth: Int = 64) -> Content {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes, maxDepth: maxDepth)
        } catch {
            return .single(.invalid(id: .null, TintypeError(.parseError, .admission, "not JSON: \(error)", details: ["offset": JSON(error.offset)])))
        }
        guard case .array(let members) = json else { return .single(RPCMessage(json)) }
        if members.isEmpty { return .single(.invalid(id: .null, TintypeError(.invalidRequest, .admission, "an empty batch"))) }
        guard members.count <= maxMembers else {
            let text = "a batch of \(members.count) members: at most \(maxMembers) are allowed"
            return .single(.invalid(id: .null, TintypeError(.invalidRequest, .admission, text)))
        }
        return .batch(members.map { RPCMessage($0) })
    }

    private init(_ json: JSON) {
        guard let object = json.object else {
            self = .invalid(id: .null, TintypeError(.invalidRequest, .admission, "a message is an object, not \(json.kind)"))
            return
        }
        let id = object["id"]
        let known: JSON =
            switch id {
            case .some(.string), .some(.int), .some(.double): id ?? .null
            default: .null
            }
        func refuse(_ text: String) -> RPCMessage { .invalid(id: known, TintypeError(.invalidRequest, .admission, text)) }
        switch id {
        case .some(.bool), .some(.array), .some(.object): self = refuse("an id is a string, a number or null")
        // The id would come back as another number, and the client could not match the answer.
        case .some(.double(let number)) where abs(number) >= 1e15:
            self = .invalid(id: .null, TintypeError(.invalidRequest, .admission, "an id that is a number must fit into 64 bits; others can be strings"))
        case _ where object["jsonrpc"] != "2.0": self = refuse("jsonrpc must be \"2.0\"")
        default:
            guard let method = object["method"]?.string else {
                self = refuse(
                    object["result"] != nil || object["error"] != nil ? "this server sends no requests that could be answered" : "the method is missing")
                return
            }
            switch object["params"] {
            case nil, .some(.object), .some(.array): break
            default:
                self = refuse("params must be an object")
                return
            }
            self = id.map { .request(id: $0, method: method, params: object["params"]) } ?? .notification(method: method, params: object["params"])
        }
    }
}

/// The answer to one request, without framing.
package enum RPCAnswer {
    package static func failure(id: JSON, _ error: TintypeError) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"jsonrpc":"2.0","id":"#)
        writer.value(id)
        writer.raw(#","error":"#)
        writer.value(error.json)
        writer.raw("}")
        return writer.bytes
    }

    /// - Parameter params: the JSON text of an object.
    package static func notification(_ method: String, params: [UInt8]) -> [UInt8] {
        var writer = JSONWriter(capacity: params.count + 64)
        writer.raw(#"{"jsonrpc":"2.0","method":"#)
        writer.string(method)
        writer.raw(#","params":"#)
        writer.raw(params)
        writer.raw("}")
        return writer.bytes
    }
}
