package import TintypeCore

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
