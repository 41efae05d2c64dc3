import TintypeCore

extension Rendition {
    /// The other pictures, each once, in their order.
    package var layers: [Layer] {
        var seen: Set<Layer> = []
        return operations.flatMap(\.layers).filter { seen.insert($0).inserted }
    }

    /// The rendition with its other pictures named by numbers, for a receiver that gets their bytes separately. URLs may be long and hold
    /// secrets.
    package var withNumberedLayers: Rendition {
        let numbers = Dictionary(uniqueKeysWithValues: zip(layers, 0...))
        let numbered = try? mapLayers { layer in numbers[layer].map { Layer(word: "\($0)") } ?? layer }
        return numbered ?? self
    }

    /// The rendition with its other pictures named by the digests of their downloads. Two spellings of an address are then equal, and parts that rules
    /// leave out of keys are left out.
    var withKeyedLayers: Rendition { (try? mapLayers { Layer(word: $0.source.digest) }) ?? self }

    func mapLayers(_ change: (Layer) throws(TintypeError) -> Layer) throws(TintypeError) -> Rendition {
        guard operations.contains(where: { !$0.layers.isEmpty }) else { return self }
        var rendition = self
        for index in operations.indices { rendition.operations[index] = try operations[index].mapLayers(change) }
        return rendition
    }
}
