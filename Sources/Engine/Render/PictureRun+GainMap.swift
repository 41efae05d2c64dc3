import ImageHeads
import TintypeImages

extension PictureRun {
    /// The gain map in the source, if its header passes the guard and its shape fits the base picture.
    var foundMap: (bytes: UnsafeRawBufferPointer, size: PictureSize, numbers: GainMapNumbers)? {
        guard facts.format == .jpeg, let found = GainMapPlace(ByteReader(bytes: loader.source)),
            case let bytes = UnsafeRawBufferPointer(rebasing: loader.source[found.bytes]),
            (try? HeaderGuard(limits: limits).check(bytes)) == .jpeg, let header = ImageHeader.read(bytes, as: .jpeg),
            case let size = PictureSize(header.width, header.height), GainMapPlan.fits(size, facts.size)
        else { return nil }
        return (bytes, size, found.numbers)
    }

    /// Reads the gain map for a result that uses it. A broken map is no map, because the base picture is whole without it.
    /// - Parameter plan: the plan before any part of it is left to the decoder.
    /// - Throws: `PictureFailure` only if the time is up or the job was canceled.
    func gainMap(for plan: PicturePlan, _ progress: ClosedRange<Double>) throws(PictureFailure) -> GainMap? {
        guard plan.output.options.gainMap(in: plan.output.format) != .drop, GainMapPlan.isPossible(plan), let (bytes, size, numbers) = foundMap else {
            return nil
        }
        clock.begin(.decode)
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        do {
            let opened = try PictureLoader(source: bytes, format: .jpeg).open(GainMap.load(size))
            guard [1, 3].contains(opened.bands), opened.format == .uint8 else { return nil }
            return GainMap(numbers: numbers, image: try opened.computed(watcher: clock.watcher(.decode, progress.lowerBound...progress.lowerBound)))
        } catch {
            if clock.stopped != nil { throw clock.failure(.decode) }
            return nil
        }
    }

    /// Returns the coded map for the result; nil if it cannot be made, or is not wanted.
    func kept(_ map: GainMap?, _ plan: PicturePlan) throws(PictureFailure) -> GainMapFile? {
        guard let map, plan.output.options.gainMap(in: plan.output.format) == .keep, let own = GainMapPlan(plan, windows: smartWindows) else { return nil }
        clock.begin(.transform)
        // The base is finished work, whatever becomes of its map.
        do throws(VipsError) { return GainMapFile(bytes: try map.file(own), numbers: map.numbers) } catch { return nil }
    }

    /// Returns the HDR picture, for a map that is to be applied; otherwise the picture as it is.
    func applied(_ map: GainMap?, _ plan: PicturePlan, to image: VipsImage) throws(PictureFailure) -> VipsImage {
        guard let map, plan.output.options.gainMap(in: plan.output.format) == .apply, let own = GainMapPlan(plan, windows: smartWindows) else { return image }
        clock.begin(.transform)
        // The base is finished work, whatever becomes of its map.
        do throws(VipsError) {
            let primaries = ColorStep.profile(of: image).map { ICCProfile($0).primaries } ?? .sRGB
            // Colors of other profiles become sRGB, whose primaries most maps of such pictures were made for.
            let base = try ColorStep.eightBit(primaries == nil ? ColorStep.apply(to: image) : image)
            let spread = try map.spread(own, to: image.size)
            return try HDRComposition.picture(base, primaries ?? .sRGB, map: spread, map.numbers).withHeader { $0.remove(ColorStep.profileField) }
        } catch { return image }
    }
}
