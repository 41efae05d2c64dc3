import TintypeCore
import TintypeImages

extension PictureOption {
    /// Where and when the work is done. imgproxy has no queue, so these are ours, and only the operator's presets may have them.
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
    ]
}
