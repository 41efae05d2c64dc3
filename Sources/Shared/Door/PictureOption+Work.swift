import TintypeCore
import TintypeImages

extension PictureOption {
    /// Where and when the work is done, and what the result belongs to. These options are ours, and only the operator's presets may have them.
    static let work: [PictureOption] = [
        PictureOption(
            "queue", [], [OptionArgument("name", .text, required: true)], isOperators: true, becomes: "`queue`, which must exist"
        ) { options, values throws(DoorRefusal) in
            let name = values.text(0) ?? ""
            do throws(TintypeError) {
                try ImageRequest.queueType.validate(.string(name), at: "queue")
            } catch {
                throw .wrongArgument(error.message)
            }
            options.queue = name
        },
        PictureOption(
            "priority", [], [OptionArgument("priority", .integer(-10...10), required: true)], isOperators: true,
            becomes: "`priority`: higher goes first"
        ) { options, values in options.priority = values.int(0) },
        PictureOption(
            "tag", [], [OptionArgument("name", .text, required: true)], repeats: 1, isOperators: true,
            becomes: "`cache.tags`, beside those of other presets: names for `cache.purge`"
        ) { options, values throws(DoorRefusal) in
            for tag in values.texts(from: 0) where !tag.isEmpty && !options.tags.contains(tag) {
                guard CacheTag.isTag(tag) else { throw .wrongArgument("the tag must have 1 to \(CacheTag.longest) of [A-Za-z0-9._~-]") }
                guard options.tags.count < CacheTag.most - 1 else { throw .wrongArgument("a picture has at most \(CacheTag.most - 1) tags of presets") }
                options.tags.append(tag)
            }
        },
    ]
}
