import CLinux

/// The files that the loop may ask about without waiting.
package enum PromptFiles {
    private static let overlay: UInt32 = 0x794c_7630
    /// The numbers in `linux/magic.h` of ext2 to ext4, XFS, Btrfs, F2FS, bcachefs, ZFS, tmpfs and overlayfs.
    private static let kinds: Set<UInt32> = [
        0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0xca45_1a4e, 0x2fc1_2fc1, 0x0102_1994, overlay,
    ]

    /// Returns whether an open file is on a disk of this machine, or in its memory. The kernel has the properties of such a file at hand. A call to
    /// another machine, or to a program that serves files, may take any time.
    package static func contains(_ descriptor: Int32) -> Bool { kinds.contains(tintype_file_system(descriptor)) }

    /// Returns whether the properties of an open file show that it was deleted or replaced. On overlayfs they may not: a file of a lower layer is only
    /// covered then.
    package static func showEnds(_ descriptor: Int32) -> Bool { tintype_file_system(descriptor) != overlay }
}
