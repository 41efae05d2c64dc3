import ImageHeads
import TintypeCore
import TintypeImages

extension ImageGuard {
    /// The same of a source of which perhaps no more than the header was read: both ends are the same.
    func format(of source: LoadedSource) throws(TintypeError) -> ImageFormat {
        guard let header = source.header else { return try format(of: source.bytes) }
        let failure: PictureFailure? = source.bytes.withUnsafeBytes { raw in
            do throws(PictureFailure) {
                try check(header, in: raw)
                return nil
            } catch { return error }
        }
        if let failure { throw failure.tintypeError }
        return header.format
    }
}
