import Glibc

/// The file system that a folder lies on, as it was at the start: to tell that its volume is not mounted any more from a folder that somebody
/// has removed. What is made anew in the former case fills the disk below, and is hidden when the volume is back. Pure, but for what
/// `device` asks.
struct StoreVolume {
    private let path: String
    private let device: dev_t?
    /// Where that file system is mounted.
    private let mount: String

    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - device: the number of the file system that something lies on; nil if it is not there.
    init(of path: String, _ device: (String) -> dev_t?) {
        let own = device(path)
        var mount = path
        while mount != "/", device(Self.parent(of: mount)) == own { mount = Self.parent(of: mount) }
        (self.path, self.device, self.mount) = (path, own, mount)
    }

    /// Whether something was mounted there at the start and nothing is now. Another volume in its place is as good, and so is one that was
    /// mounted since.
    func isGone(_ device: (String) -> dev_t?) -> Bool {
        guard let own = self.device, mount != "/" else { return false }
        var nearest = path
        while nearest != "/", device(nearest) == nil { nearest = Self.parent(of: nearest) }
        if device(nearest) == own { return false }
        let there = device(mount)
        return there == nil || there == device(Self.parent(of: mount))
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// As the kernel says.
    static func device(of path: String) -> dev_t? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_dev : nil
    }
}
