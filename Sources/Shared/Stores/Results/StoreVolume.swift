import Glibc

/// The file system of a folder at the start. It distinguishes an unmounted volume from a folder that was removed. If the folder were made again on an
/// unmounted volume, it would fill the disk below, and be hidden when the volume is back. Pure, except for the calls of `device`.
struct StoreVolume {
    private let path: String
    private let device: dev_t?
    /// The mount point of that file system.
    private let mount: String

    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - device: returns the number of the file system of a path; nil if the path does not exist.
    init(of path: String, _ device: (String) -> dev_t?) {
        let own = device(path)
        var mount = path
        while mount != "/", device(Self.parent(of: mount)) == own { mount = Self.parent(of: mount) }
        (self.path, self.device, self.mount) = (path, own, mount)
    }

    /// Returns whether a volume was mounted there at the start and none is now. Another volume in its place counts as mounted, and so does one that was
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

    /// Returns the device that the kernel reports.
    static func device(of path: String) -> dev_t? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_dev : nil
    }
}
