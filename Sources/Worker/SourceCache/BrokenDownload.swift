/// What there is of a download that has not ended.
package struct BrokenDownload {
    let partial: PartialSource
    let digest: String
    /// The fetch that has brought it.
    let fetch: String
    /// Whether it goes on: kept in case this worker does not live to its end.
    let isLive: Bool
}
