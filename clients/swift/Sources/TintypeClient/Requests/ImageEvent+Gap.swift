extension ImageEvent {
    /// The connection was lost, and the receipt was taken up again. The client makes it; the service does not send it.
    ///
    /// Only passing events can be missing: queued, response, progress, preview, retrying, paused and resumed.
    /// Each finished rendition, and the end, comes once.
    public struct Gap: Record {
        /// The `seq` of the last event before it; 0 for none.
        public let after: Int

        public init(after: Int) {
            self.after = after
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            after = try members.read("after") ?? 0
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "gap")
            members.add("after", after)
        }
    }
}
