import TintypeCore

extension Rendition {
    /// The other pictures it needs, each once, in the order they come.
    package var layers: [Layer] {
        var seen: Set<Layer> = []
        return operations.flatMap(\.layers).filter { seen.insert($0).inserted }
    }

    /// The same with its other pictures named by their numbers, for whoever gets their bytes beside it: their URLs may be long, and hold
    /// secrets.
    package var withNumberedLayers: Rendition {
        let numbers = Dictionary(uniqueKeysWithValues: zip(layers, 0...))
        let numbered = try? mapLayers { layer in numbers[layer].map { Layer(word: "\($0)") } ?? layer }
        return numbered ?? self
    }

    /// The same with its other pictures named by what their downloads are known by: two spellings of an address are one, and what the operator's
    /// rules leave out of keys is left out.
    var withKeyedLayers: Rendition { (try? mapLayers { Layer(word: $0.source.digest) }) ?? self }

    func mapLayers(_ change: (Layer) throws(TintypeError) -> Layer) throws(TintypeError) -> Rendition {
        guard operations.contains(where: { !$0.layers.isEmpty }) else { return self }
        var rendition = self
        for index in operations.indices { rendition.operations[index] = try operations[index].mapLayers(change) }
        return rendition
    }
}
