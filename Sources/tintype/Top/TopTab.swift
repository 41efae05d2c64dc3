/// A page of `tintype top`, in the order of the keys 1 to 8.
enum TopTab: String, Sendable, Hashable, CaseIterable {
    case queues, running, hosts, workers, dead, failures, blacklist, events

    var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// The tab so many places to the right, around the end.
    func moved(_ places: Int) -> TopTab {
        let all = Self.allCases
        let index = (number - 1 + places) % all.count
        return all[index < 0 ? index + all.count : index]
    }
}
