import TintypeCore
package import TintypeImages

extension MethodCatalog {
    /// The indicator of activity.
    package static let activity: FeatureMethods = (activityMethods, "events.unsubscribe")

    private static let activityMethods: [MethodDescription] = [
        MethodDescription(
            "activity.get",
            "Shows whether this coordinator has work, for an activity indicator. `running` counts accepted receipts that have not ended and still have a "
                + "client, and work from `activity.begin`. Answers from a cache, requests with `activity: false` and the contents of paused queues (noticed "
                + "after at most 2 s) do not count. `fleet` is this number for all coordinators, up to 4 s old for the others; a stopped one counts until "
                + "its lease ends. By default, `active` becomes true 1 s after the first work, if there is work then, and false 0.17 s after the last. "
                + "`activity.changed` reports each change once.",
            role: .load,
            result: "`{active, running, fleet}`", example: MethodExample("{}", #"{"active":false,"running":0,"fleet":0}"#)),
        MethodDescription(
            "activity.begin",
            "Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once.",
            role: .load, result: "`{activity}`, the id for `activity.end`", errors: [.invalidRequest, .limitExceeded],
            example: MethodExample("{}", #"{"activity":"a-1"}"#)),
        MethodDescription(
            "activity.end", "Ends work that this connection began with `activity.begin`.",
            [ParameterDescription("activity", .string(maxLength: 64), required: true, "The id from `activity.begin`.")],
            role: .load, result: "`{ended}`: false if there is no work with that id",
            example: MethodExample(#"{"activity":"a-1"}"#, #"{"ended":true}"#)),
    ]
}

/// The settings of the indicator of activity.
package struct ActivitySettings: Sendable {
    /// The time of work before it is shown as activity.
    package var startDelay = Duration.seconds(1)
    /// The time for which activity is shown after the last work.
    package var endDelay = Duration.milliseconds(170)

    static let settings: [Setting<ActivitySettings>] = [
        Setting(
            "activity-start-delay", \.startDelay, .duration(.zero ... .seconds(60)),
            help: "How long work must last before activity.changed reports it. Shorter work is not reported."),
        Setting(
            "activity-end-delay", \.endDelay, .duration(.zero ... .seconds(60)),
            help: "How long activity is reported after the last work. Shorter pauses are not reported."),
    ]
}
