// swift-tools-version: 6.2

import PackageDescription

let rules: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "TintypeClient",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "TintypeClient", targets: ["TintypeClient"])],
    targets: [
        .target(name: "TintypeClient", swiftSettings: rules),
        .testTarget(name: "TintypeClientTests", dependencies: ["TintypeClient"], swiftSettings: rules),
        // Not a product: clients/conformance asks it for calls of the client.
        .executableTarget(name: "ConformanceDriver", dependencies: ["TintypeClient"], path: "Tests/ConformanceDriver", swiftSettings: rules),
    ],
    swiftLanguageModes: [.v6]
)
