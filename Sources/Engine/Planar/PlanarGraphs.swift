import CZimg
import Glibc

/// A cache of zimg's graphs. A graph holds the tables and filters for one size. Building one takes longer than using it, and the requested sizes
/// repeat, so the last ones are kept. Belongs to one thread.
package final class PlanarGraphs {
    struct Key: Hashable {
        let plan: PlanePlan
        let filter: PlaneFilter
    }

    /// The cached graphs, the last used at the end.
    private var kept: [(key: Key, graph: Graph)] = []
    private static let most = 24
    /// The number of built graphs.
    private(set) var built = 0

    package init() {}

    /// Resizes a plane; nil if no memory is left.
    func resize(_ plane: Plane, _ plan: PlanePlan, _ filter: PlaneFilter) -> Plane? {
        guard let result = Plane(plan.result), let graph = graph(Key(plan: plan, filter: filter)) else { return nil }
        return graph.run(plane, result) ? result : nil
    }

    private func graph(_ key: Key) -> Graph? {
        if let index = kept.lastIndex(where: { $0.key == key }) {
            let found = kept.remove(at: index)
            kept.append(found)
            return found.graph
        }
        guard let graph = Graph(key) else { return nil }
        built += 1
        if kept.count == Self.most { kept.removeFirst() }
        kept.append((key, graph))
        return graph
    }

    private final class Graph {
        private let raw: OpaquePointer
        private let scratch: Int

        init?(_ key: Key) {
            let (plan, window) = (key.plan, key.plan.window)
            let (filter, a, b) = key.filter.zimg
            guard
                let raw = tintype_zimg_graph(
                    UInt32(window.width), UInt32(window.height), plan.left, plan.top, plan.width, plan.height, UInt32(plan.result.width),
                    UInt32(plan.result.height), filter, a, b)
            else { return nil }
            var size = 0
            guard zimg_filter_graph_get_tmp_size(raw, &size) == ZIMG_ERROR_SUCCESS else {
                zimg_filter_graph_free(raw)
                return nil
            }
            (self.raw, scratch) = (raw, size)
        }

        deinit { zimg_filter_graph_free(raw) }

        func run(_ from: Plane, _ to: Plane) -> Bool {
            var memory: UnsafeMutableRawPointer?
            guard posix_memalign(&memory, 64, max(scratch, 64)) == 0 else { return false }
            defer { free(memory) }
            return tintype_zimg_run(raw, from.samples, from.stride, to.samples, to.stride, memory) == 0
        }
    }
}

extension PlaneFilter {
    fileprivate var zimg: (zimg_resample_filter_e, Double, Double) {
        switch self {
        case .bilinear: (ZIMG_RESIZE_BILINEAR, .nan, .nan)
        case .bicubic(let b, let c): (ZIMG_RESIZE_BICUBIC, b, c)
        case .lanczos(let lobes): (ZIMG_RESIZE_LANCZOS, Double(lobes), .nan)
        }
    }
}
