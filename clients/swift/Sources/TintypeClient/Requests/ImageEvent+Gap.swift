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

        public init(_ members: inout MemberReader) throws(AnswerFault) {
            after = try members.read("after") ?? 0
        }

        public static var tag: Members { ["type": "gap"] }
        public var members: Members { ["after": after] }
    }
}
