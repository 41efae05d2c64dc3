import TintypeCore

extension Rendition {
    /// Returns the rendition with its other pictures as the operator's rules change them.
    /// - Parameter isKeptOnly: set to true if one of them may not be downloaded.
    /// - Throws: `denied`, `invalidURL`.
    func ruled(_ rules: Rules, _ isKeptOnly: inout Bool) throws(TintypeError) -> Rendition {
        try mapLayers { layer throws(TintypeError) in
            guard let inForce = try rules.inForce(for: [layer.source.url], layer.source.fetch) else { return layer }
            isKeptOnly = isKeptOnly || inForce.isKeptOnly
            var ruled = layer
            ruled.source = try inForce.source(inForce.completing(layer.source.fetch), scope: nil)
            return ruled
        }
    }
}
