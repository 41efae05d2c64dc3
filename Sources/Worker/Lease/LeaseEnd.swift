/// The reason why a worker stops a run before it is done.
package enum LeaseEnd: Sendable, Hashable {
    /// Nobody wants the fetch any more. The run is finished as canceled.
    case cancelled
    /// Another worker holds the fetch by now. The run must not be finished.
    case lost
    /// No heartbeat succeeded for 8 s, so another worker may soon hold the fetch. The run stops and is released as soon as Redis answers.
    case expired
    /// The worker stops. The fetch is released, and no attempt is counted.
    case givenBack
    /// A fetch of another client waits for the place. This one is released, and no attempt is counted. The lease is kept until then.
    case yielded
}
