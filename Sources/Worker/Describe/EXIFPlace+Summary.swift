import ImageHeads
import TintypeCore
import TintypeImages

extension EXIFPlace {
    /// What it tells of the picture.
    func summary(in bytes: UnsafeRawBufferPointer) -> JSONObject {
        guard case .bytes(let place) = self else { return [:] }
        return EXIFBlock(ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes[place])), at: 0).map { EXIFSummary($0).json } ?? [:]
    }
}
