import CVips
import Synchronization

/// The libvips library, started once for the process: one thread for each image, no caches, untrusted loaders blocked.
package enum VipsRuntime {
    private static let started = Mutex<VipsError?>(nil)
    private static let once: Bool = {
        // The library's own last line of defense. Ours is that only typed loaders are ever called.
        guard vips_init("tintype") == 0 else {
            let error = VipsError.take("vips_init")
            started.withLock { $0 = error }
            return false
        }
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        vips_block_untrusted_set(1)
        // Only the guard and the pixel process stand before these loaders, which are called by name. Writing reads nothing but pixels.
        for name in ["VipsForeignSaveJxl", "VipsForeignLoadJxl", "VipsForeignLoadJp2k"] { vips_operation_block_set(name, 0) }
        tintype_vips_silence()
        return true
    }()

    /// Starts libvips. Further calls do nothing. Any thread.
    /// - Throws: `VipsError` if the library cannot start.
    package static func start() throws(VipsError) {
        guard once else { throw started.withLock { $0 } ?? VipsError(operation: "vips_init", text: "") }
    }

    /// Unblocks untrusted loaders that the operator asks for; call it before the first picture.
    /// - Parameter classes: the names of libvips classes; their subclasses are unblocked too.
    package static func unblock(_ classes: [String]) { for name in classes { vips_operation_block_set(name, 0) } }

    /// The version, such as `8.14.1`.
    package static var version: String { "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))" }

    static func isAtLeast(_ major: Int32, _ minor: Int32, _ micro: Int32 = 0) -> Bool {
        (vips_version(0), vips_version(1), vips_version(2)) >= (major, minor, micro)
    }

    /// Whether libvips compiles loops into machine code at run time: Orc did, Highway (from 8.15) does not.
    package static var generatesCode: Bool { !isAtLeast(8, 15) }

    /// Frees libvips' data of the calling thread. Call it before a thread that worked on pictures ends.
    package static func leaveThread() { vips_thread_shutdown() }

    /// Returns an image of one color, for canvases, warm-up and tests.
    package static func solid(width: Int, height: Int, _ color: [Double], _ colors: VipsColors = .sRGB) throws(VipsError)
        -> VipsImage
    {
        let black = try VipsOperation("black").set("width", width).set("height", height).set("bands", color.count).image()
        let filled = try VipsOperation("linear").set("in", black).set("a", [1]).set("b", color).set("uchar", true).image()
        return try VipsOperation("copy").set("in", filled).set("interpretation", Int(colors.rawValue)).image()
    }
}
