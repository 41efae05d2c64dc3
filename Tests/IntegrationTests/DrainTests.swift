import Foundation
import TestSupport
import Testing

/// A coordinator told to stop with answers on their way: each arrives whole, then the process ends.
@Suite(.timeLimit(.minutes(2)), .serialized) struct DrainTests {
    @Test func `an answer in flight at SIGTERM arrives whole, however large`() async throws {
        let deployment = try await Deployment(coordinators: 6)
        for (number, coordinator) in deployment.coordinators.enumerated() {
            let client = try RawClient(port: coordinator.rpcPort)
            let url = deployment.url("/slow/picture.png?size=900x700&delay=0.3&n=\(number)")
            let params = #"{"url":"\#(url)","deliver":"inline","progress":true}"#
            client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"image.load","params":\#(params)}"#.utf8) + [10])
            // The gate: two events, `queued` and `started`.
            _ = await client.lines(2)
            #expect(await coordinator.stop() == 0)
            let answer = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(answer.last == "", "cut in the middle of a line")
            #expect(answer.contains { $0.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result""#) && $0.contains(#""data":""#) })
        }
        await deployment.stop()
    }
}
