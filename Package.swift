// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every Swift target: language mode 6, explicit imports and existentials, and no warning left standing.
let rules: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "tintype",
    products: [
        .executable(name: "tintype", targets: ["tintype"]),
        .executable(name: "tintype-coordinator", targets: ["tintype-coordinator"]),
        .executable(name: "tintype-worker", targets: ["tintype-worker"]),
    ],
    targets: [
        // C libraries of the distribution. Each is imported by one folder of Swift only (scripts/lint checks it).
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CLinux", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),

        .target(
            name: "Shared",
            dependencies: ["CCrypto", "CCurl", "CEvent", "CHiredis", "CLinux"],
            resources: [.embedInCode("Queue/Scripts")],
            swiftSettings: rules
        ),
        .target(name: "Coordinator", dependencies: ["Shared"], swiftSettings: rules),
        .target(name: "Worker", dependencies: ["Shared", "CVips", "CLinux"], swiftSettings: rules),

        .executableTarget(name: "tintype", dependencies: ["Shared"], swiftSettings: rules),
        .executableTarget(name: "tintype-coordinator", dependencies: ["Coordinator", "Shared"], swiftSettings: rules),
        .executableTarget(name: "tintype-worker", dependencies: ["Worker", "Shared"], swiftSettings: rules),
        .executableTarget(name: "loadgen", dependencies: ["Shared"], swiftSettings: rules),
        .executableTarget(name: "origin", dependencies: ["Shared"], swiftSettings: rules),

        .target(name: "TestSupport", dependencies: ["Shared"], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "SharedTests", dependencies: ["Shared", "TestSupport"], swiftSettings: rules),
        .testTarget(name: "CoordinatorTests", dependencies: ["Coordinator", "Shared", "TestSupport"], swiftSettings: rules),
        .testTarget(name: "WorkerTests", dependencies: ["Worker", "Shared", "TestSupport"], swiftSettings: rules),
        .testTarget(name: "IntegrationTests", dependencies: ["Shared", "TestSupport"], swiftSettings: rules),
    ],
    swiftLanguageModes: [.v6]
)
