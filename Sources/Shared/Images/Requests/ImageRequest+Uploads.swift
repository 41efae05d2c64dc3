package import TintypeCore

extension ImageRequest {
    /// - Parameter owner: the client whose request it is (`AccessGrant.owner`); nil: an admin.
    /// - Throws: `forbidden` if an upload of another client is among its sources, mirrors, other pictures or its fallback.
    package func checkUploads(of owner: String?) throws(TintypeError) {
        guard owner != nil else { return }
        func check(_ source: Source) throws(TintypeError) {
            for address in source.addresses { if case .upload(let upload) = address.kind { try upload.check(owner) } }
        }
        try check(source)
        for rendition in renditions { for layer in rendition.layers { try check(layer.source) } }
        if case .request(let request)? = fallback, let upload = request["url"]?.string.flatMap({ UploadedSource(url: $0) }) { try upload.check(owner) }
    }
}

extension UploadedSource {
    fileprivate func check(_ owner: String?) throws(TintypeError) {
        guard !belongs(to: owner) else { return }
        throw TintypeError(
            .forbidden, .admission, "the upload belongs to another client: send the bytes by PUT /uploads with your own token",
            details: ["url": .string(RedactedURL(url).description)])
    }
}
