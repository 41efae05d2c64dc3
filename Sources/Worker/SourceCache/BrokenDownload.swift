/// The received part of a download that has not ended.
package struct BrokenDownload {
    let partial: PartialSource
    let digest: String
    /// The fetch of the download.
    let fetch: String
    /// When the run of the download began, in epoch ms of Redis.
    let since: Int64
    /// Whether the download goes on. The part is then kept in case this worker dies.
    let isLive: Bool
}
