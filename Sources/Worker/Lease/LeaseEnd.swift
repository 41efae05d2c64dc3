/// Why a worker stops working on a fetch before it is done.
package enum LeaseEnd: Sendable, Hashable {
    /// Nobody wants it any more: finish it as cancelled.
    case cancelled
    /// It is another worker's by now: do not finish it.
    case lost
    /// No good beat for 8 s: it may be another worker's soon. Stop, and give it back as soon as Redis answers.
    case expired
    /// The worker stops: give it back uncharged.
    case givenBack
    /// Another client waits for its place: give it back uncharged. The lease is kept until then.
    case yielded
}
