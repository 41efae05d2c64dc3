import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The facts about registries that the compiler cannot check: everything that is listed can be executed.
@Suite(.tags(.optimized)) struct OperationCatalogTests {
    @Test func `each operation has exactly one implementation`() {
        for type in OperationCatalog.types {
            let ways = [type is any PlannedOperation.Type, type is any Filter.Type]
            #expect(ways.filter { $0 }.count == 1, "\(type.description.name)")
        }
    }

    @Test func `a filter needs only the picture, another picture, or either`() {
        for case let type as any Filter.Type in OperationCatalog.types {
            #expect(type is any PictureFilter.Type || type is any LayerFilter.Type, "\(type)")
        }
    }

    @Test func `no two operations share a name, and each is found by its own`() throws {
        let names = OperationCatalog.descriptions.map(\.name)
        #expect(Set(names).count == names.count)
        for name in ["grayscale", "inset", "border", "autorotate"] { _ = try AnyOperation(["op": .string(name)], at: "transform[0]") }
        #expect(throws: TintypeError.self) { try AnyOperation(["op": "nothing"], at: "transform[0]") }
    }

    @Test func `equal operations are equal in every wrapper`() throws {
        let (gray, inverse) = (try AnyOperation(["op": "grayscale"], at: ""), try AnyOperation(["op": "invert"], at: ""))
        #expect(gray == AnyOperation(Grayscale([:], at: "")) && gray != inverse && Set([gray, gray, inverse]).count == 2)
    }

    @Test func `every output format has a codec, and every input format a loader`() {
        for format in ImageFormat.allCases {
            #expect((format.codec.saver != nil) == ImageFormat.encodable.contains(format), "\(format)")
            #expect((format.codec.loader != nil || format.codec.isReadHere) == ImageFormat.openable.contains(format), "\(format)")
        }
    }
}
