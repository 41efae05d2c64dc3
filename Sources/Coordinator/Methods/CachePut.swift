import TintypeCore

/// `cache.put`: keeps bytes that a client brings, as if they had been made here.
struct CachePut: RPCMethod {
    let name = "cache.put"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, services.admission.rules, services.admission.keys, besideKey: ["queue"])
        guard let data = params["data"]?.string, let bytes = Base64.bytes(of: Array(data.utf8)), !bytes.isEmpty else {
            throw .invalidParams(path: "data", value: "(string)", expected: "bytes in base64")
        }
        let put = try PutImage(target, bytes, contentType: nil, ttl: params["ttl"]?.double)
        call.run(in: services.scope) { () async throws(TintypeError) in
            try await services.cache.put(put.image, in: put.tiers, queue: target.queue, ttl: put.ttl)
            return put.answer
        }
    }
}
