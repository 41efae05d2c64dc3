import TintypeCore
package import TintypeImages

/// Writes a rendition as the options of a picture URL: the way back from `DoorPlanner`. A pure value.
///
/// The options are read again as the door reads them. A rendition that becomes another one is refused, so that no URL shows another picture.
package struct DoorWriter: Sendable, Hashable {
    /// The options, each as `NAME:ARGUMENT…`.
    package let options: [String]
    /// The format behind the source; nil: that of the source.
    package let fileExtension: String?

    /// - Throws: `notSupported` with the first operation, or the members of `output`, that no option says.
    package init(_ rendition: Rendition) throws(DoorRefusal) {
        var options: [String] = []
        for (index, operation) in rendition.operations.enumerated() {
            guard let words = OptionText.words(operation) else { throw Self.refusal(index, operation, "has no option like it in picture URLs, as it is here") }
            options += words
            guard !Self.reads(options, as: Array(rendition.operations[...index])) else { continue }
            // A canvas needs the size of the operation before it, so it is never read alone.
            guard Self.reads(words, as: [operation]) else { throw Self.refusal(index, operation, "has a value that no option of picture URLs says") }
            throw Self.refusal(
                index, operation,
                "cannot stand behind the operations before it: picture URLs trim, turn, crop, resize, lay a background, filter, pad and mark, in this order "
                    + "and each once")
        }
        options += OptionText.words(rendition.output)
        let format = rendition.output.format.map { OptionText.name($0) }
        let read: Rendition?
        do throws(DoorRefusal) {
            read = try Self.read(options + (format.map { ["f:" + $0] } ?? []))
        } catch {
            throw Self.refusal("output:", error.message)
        }
        guard let read, read.canonical == rendition.canonical else { throw Self.refusal(read, rendition) }
        (self.options, fileExtension) = (options, format)
    }

    /// Any source: the options do not depend on it.
    private static let source = "http://source.invalid/"

    /// Reads options as the door does; nil for what no request may have.
    /// - Throws: what the door refuses.
    private static func read(_ texts: [String]) throws(DoorRefusal) -> Rendition? {
        var options = PictureOptions()
        for text in texts {
            let option = PictureURL.Option(text, at: 0)
            try PictureOptionTable.option(named: option.name).apply(option.arguments, to: &options)
        }
        let plan = try DoorPlanner(options, DoorPolicy(), accept: .none, hints: .none, isSigned: true).plan(source, now: 0)
        return (try? plan.imageRequest(rules: .none))?.renditions.first
    }

    private static func reads(_ options: [String], as operations: [AnyOperation]) -> Bool {
        guard let read = try? Self.read(options) else { return false }
        return read.canonical["transform"] == Rendition(operations: operations).canonical["transform"]
    }

    private static func refusal(_ index: Int, _ operation: AnyOperation, _ trouble: String) -> DoorRefusal {
        refusal("transform[\(index)] (\(type(of: operation.base).description.name))", trouble)
    }

    private static func refusal(_ place: String, _ trouble: String) -> DoorRefusal {
        DoorRefusal(.notSupported, "\(place) \(trouble); change it, or load the picture by image.load")
    }

    /// Names the members of `output` that differ.
    private static func refusal(_ read: Rendition?, _ wanted: Rendition) -> DoorRefusal {
        let (told, asked) = (read?.canonical["output"]?.object ?? [:], wanted.canonical["output"]?.object ?? [:])
        let names = (asked.keys + told.keys.filter { asked[$0] == nil }).filter { asked[$0] != told[$0] }
        let shown = names.isEmpty ? "output" : names.map { "output.\($0)" }.joined(separator: ", ")
        return refusal(shown, "has a value that no option of picture URLs says")
    }
}

extension PictureDoor {
    /// Returns the path of a URL that shows the picture of a request, signed with the first pair of keys. Without a pair, the path is unsigned.
    /// - Parameters:
    ///   - request: only its source, its operations and its output count.
    ///   - now: seconds since 1970.
    /// - Throws: `notSupported` for a picture that no URL shows, also because of the preset `default`. The door may refuse the URL for other reasons,
    ///   such as options where only presets are allowed.
    package func path(to request: ImageRequest, now: Int) throws(DoorRefusal) -> String {
        let rendition = request.renditions[0]
        let writer = try DoorWriter(rendition)
        let text = PictureURL.text(of: request.source.url, options: writer.options, fileExtension: writer.fileExtension, isPlain: false)
        let path = signature.signing(text)
        let plan = try plan(Array(path.utf8), now: now)
        guard let shown = try? plan.imageRequest(rules: .none), shown.renditions[0].canonical == rendition.canonical,
            shown.source.digest == request.source.digest
        else {
            throw DoorRefusal(.notSupported, "the preset \(PicturePresets.usual) of this door changes the picture; load it by image.load")
        }
        return path
    }
}
