import ImageHeads
import TintypeCore
import TintypeImages

extension HeaderGuard {
    /// Checks a source of which perhaps only the header was read. The outcome equals that of the whole file.
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
