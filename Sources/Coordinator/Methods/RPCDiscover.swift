import TintypeCore
import TintypeImages

/// `rpc.discover`: this interface as an OpenRPC document.
struct RPCDiscover: RPCMethod {
    let name = "rpc.discover"

    func begin(_ call: Call, _ params: JSON) { call.succeed { $0.raw(Self.document) } }

    /// Written once: it is some 60 kB.
    private static let document = OpenRPCDocument.json(version: TintypeVersion.current).bytes()
}
