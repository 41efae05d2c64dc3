// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "swift_client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "TintypeClient", path: "../../clients/swift")],
    targets: [.executableTarget(name: "swift_client", dependencies: [.product(name: "TintypeClient", package: "TintypeClient")])]
)
