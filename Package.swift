// swift-tools-version: 6.2
import PackageDescription

/// Language mode 6, explicit imports and existentials, and warnings as errors.
let language: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// The settings of every Swift target. Each gets the GNU form of the C library. Swift's own Glibc module is built without it otherwise. Then fd_set,
/// rusage and others exist twice, in different forms.
let rules: [SwiftSetting] = language + [.unsafeFlags(["-Xcc", "-D_GNU_SOURCE"])]

/// GLib keeps two header folders outside the compiler's path. The tool pkg-config would name them, but its answer for vips contains `-pthread`, and
/// SwiftPM warns about that on every build. The other C libraries need no flag on Debian 12 and 13.
#if arch(arm64)
    let machine = "aarch64-linux-gnu"
#else
    let machine = "x86_64-linux-gnu"
#endif
let glib: [SwiftSetting] = [
    .unsafeFlags(["-Xcc", "-I/usr/include/glib-2.0", "-Xcc", "-I/usr/lib/\(machine)/glib-2.0/include"])
]

/// The optimizer takes minutes for the command line and the expectations of tests, which wait for servers.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]
let tests: [SwiftSetting] = rules + unoptimized

/// Loops over every byte of a picture. Without the optimizer they take minutes, and this way the tested code is the shipped code.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"])]

/// The modules that all programs share, from the bottom up.
let shared: [Target.Dependency] = ["TintypeCore", "TintypeTransport", "TintypeImages", "TintypeQueue", "TintypeStores", "TintypeSettings"]

/// Modules that others call for every request. Their small functions can be inlined across modules.
let layered: [SwiftSetting] = rules + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]

/// The features of both servers and the command line (docs/architecture.md): each is a folder of `Sources/Features` with one doorway. No core knows them.
/// - needs: further modules besides those of the core.
let coordinatorFeatures: [(name: String, needs: [Target.Dependency])] = [
    ("Activity", []),
    ("Callbacks", []),
    ("Dashboard", ["CPages"]),
    ("Groups", []),
    ("History", []),
    ("PictureDoor", ["ImgproxyURLs", "PNG"]),
    ("Purges", []),
    ("Scaling", []),
    ("Streams", []),
    ("Uploads", []),
    ("Validation", []),
]
let workerFeatures: [(name: String, needs: [Target.Dependency])] = [
    ("CookieJars", []),
    ("Previews", ["Engine", "ImageHeads"]),
    ("Saving", ["CLinux"]),
    ("TextBodies", ["CExpat"]),
]
let commandFeatures: [(name: String, needs: [Target.Dependency])] = [
    ("Doctor", []),
    ("Top", []),
    ("Up", []),
]
/// Those that both servers have. They know shared modules alone.
let sharedFeatures: [(name: String, needs: [Target.Dependency])] = [
    ("Tracing", [])
]
let coordinatorFeatureModules = coordinatorFeatures.map { Target.Dependency(stringLiteral: "Tintype\($0.name)") }
let workerFeatureModules = workerFeatures.map { Target.Dependency(stringLiteral: "Tintype\($0.name)") }
let commandFeatureModules = commandFeatures.map { Target.Dependency(stringLiteral: "Tintype\($0.name)") }
let sharedFeatureModules = sharedFeatures.map { Target.Dependency(stringLiteral: "Tintype\($0.name)") }

let package = Package(
    name: "tintype",
    products: [
        .executable(name: "tintype", targets: ["tintype"]),
        .executable(name: "tintype-coordinator", targets: ["tintype-coordinator"]),
        .executable(name: "tintype-worker", targets: ["tintype-worker"]),
    ],
    targets: [
        // C libraries of the distribution. scripts/lint lists the Swift folders that may import them.
        .systemLibrary(name: "CAOM", providers: [.apt(["libaom-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
        .systemLibrary(name: "CDav1d", providers: [.apt(["libdav1d-dev"])]),
        .systemLibrary(name: "CDeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CEvent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CFontconfig", providers: [.apt(["libfontconfig-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CLinux", providers: [.apt(["libseccomp-dev"])]),
        // libevent's bufferevents over OpenSSL.
        .systemLibrary(name: "CTLS", providers: [.apt(["libevent-dev", "libssl-dev"])]),
        .systemLibrary(name: "CVips", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CWebP", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CZimg", providers: [.apt(["libzimg-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // libjpeg (libjpeg62-turbo-dev, which libvips-dev brings) behind functions that return their errors.
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

        // The texts of Shared/Queue/Scripts.
        .target(name: "CScripts"),

        // The modules that all programs share, in layers. Each imports only those below it (docs/architecture.md).
        .target(name: "TintypeCore", dependencies: ["CCrypto", "CCurl"], path: "Sources/Shared/Core", swiftSettings: layered),
        .target(
            name: "TintypeTransport", dependencies: ["TintypeCore", "CCurl", "CEvent", "CHiredis", "CLinux", "CTLS", "CZlib"], path: "Sources/Shared/Transport",
            swiftSettings: layered),
        .target(name: "TintypeImages", dependencies: ["TintypeCore"], path: "Sources/Shared/Images", swiftSettings: layered),
        .target(
            name: "TintypeQueue", dependencies: ["TintypeCore", "TintypeTransport", "TintypeImages", "CScripts"], path: "Sources/Shared/Queue",
            exclude: ["Scripts"], swiftSettings: layered),
        .target(
            name: "TintypeStores", dependencies: ["TintypeCore", "TintypeTransport", "TintypeImages", "TintypeQueue"], path: "Sources/Shared/Stores",
            swiftSettings: layered),
        .target(
            name: "TintypeSettings", dependencies: ["TintypeCore", "TintypeTransport", "TintypeImages", "TintypeQueue", "TintypeStores"],
            path: "Sources/Shared/Settings", swiftSettings: layered),

        // The picture door: URLs in imgproxy's form become requests. Only values; the coordinator has the port that serves them.
        .target(name: "ImgproxyURLs", dependencies: ["TintypeCore", "TintypeImages"], path: "Sources/Shared/Door", swiftSettings: rules),

        // The methods and settings of features, and the lists of all. Only values; no core knows them.
        .target(
            name: "TintypeContracts", dependencies: shared + ["ImgproxyURLs"], path: "Sources/Features/Contracts", swiftSettings: rules),

        // Reference pages and the source text of client libraries. No server links it.
        .target(
            name: "Documents", dependencies: ["TintypeCore", "TintypeImages", "TintypeQueue", "TintypeSettings", "TintypeContracts", "ImgproxyURLs"],
            swiftSettings: rules + unoptimized),

        .target(name: "Coordinator", dependencies: shared + ["ImageHeads", "PNG"], swiftSettings: rules),
        .target(
            name: "TintypeFeatures",
            dependencies: ["Coordinator", "TintypeContracts", "TintypeSettings", "TintypeTransport"] + coordinatorFeatureModules + sharedFeatureModules,
            path: "Sources/Features/All", swiftSettings: rules),
        // The header guard: the checks of a file's header before a decoder sees the file.
        .target(name: "ImageHeads", dependencies: ["TintypeCore", "TintypeImages"], swiftSettings: rules),
        // Decoders of our own for formats that no decoder of the distribution is trusted with.
        .target(name: "Bitmaps", dependencies: ["ImageHeads", "TintypeImages"], swiftSettings: rules + optimized),
        .target(name: "PNG", dependencies: ["TintypeImages", "CDeflate"], swiftSettings: rules + optimized),
        // Pictures: decode, transform, encode. It knows no queue, no network and no event loop.
        .target(
            name: "Engine",
            dependencies: [
                "TintypeCore", "TintypeImages", "Bitmaps", "ImageHeads", "PNG", "CAOM", "CDav1d", "CFontconfig", "CJPEG", "CVips", "CWebP", "CZimg", "CZlib",
            ],
            swiftSettings: rules + glib),
        .target(name: "Worker", dependencies: shared + ["Engine", "ImageHeads", "PNG", "CLinux"], swiftSettings: rules + glib),

        // The client for Swift, which is a package of its own for its users. The command line makes its connections by it. Its code is for any C library.
        .target(name: "TintypeClient", path: "clients/swift/Sources/TintypeClient", swiftSettings: language + unoptimized),

        // The core of the command line.
        .target(
            name: "Console", dependencies: shared + ["ImgproxyURLs", "TintypeContracts", "Documents", "TintypeClient"],
            swiftSettings: rules + unoptimized),
        .executableTarget(
            name: "tintype", dependencies: shared + commandFeatureModules + ["TintypeContracts", "Console"], swiftSettings: rules + unoptimized),
        .executableTarget(name: "tintype-coordinator", dependencies: shared + ["Coordinator", "TintypeContracts", "TintypeFeatures"], swiftSettings: rules),
        .executableTarget(
            name: "tintype-worker", dependencies: shared + workerFeatureModules + sharedFeatureModules + ["TintypeContracts", "Worker"],
            swiftSettings: rules + glib),
        // All that people run, in one build.
        .target(name: "programs", dependencies: ["tintype", "tintype-coordinator", "tintype-worker"], path: "Sources/Programs"),
        .executableTarget(name: "loadgen", dependencies: shared + ["ImgproxyURLs"], path: "Benchmarks/loadgen", swiftSettings: rules),
        .executableTarget(name: "origin", dependencies: shared + ["PNG"], path: "Benchmarks/origin", swiftSettings: rules),

        .target(name: "TestSupport", dependencies: shared, path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(
            name: "SharedTests", dependencies: shared + sharedFeatureModules + ["TintypeContracts", "Documents", "TestSupport"], swiftSettings: tests,
            // libcurl must call the resolver of RebindingTests instead of the C library's.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])]
        ),
        .testTarget(
            name: "DoorTests", dependencies: ["TintypeCore", "TintypeImages", "ImgproxyURLs", "Documents", "TestSupport"], exclude: ["Fixtures"],
            swiftSettings: tests),
        .testTarget(
            name: "CoordinatorTests",
            dependencies: shared + coordinatorFeatureModules + ["ImgproxyURLs", "Coordinator", "TintypeContracts", "TintypeFeatures", "PNG", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "WorkerTests",
            dependencies: shared + workerFeatureModules
                + ["tintype-worker", "ImgproxyURLs", "TintypeContracts", "Engine", "Worker", "Bitmaps", "ImageHeads", "PNG", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: tests + glib),
        .testTarget(
            name: "CommandLineTests", dependencies: shared + commandFeatureModules + ["tintype", "Console", "TestSupport"], swiftSettings: tests),
        .testTarget(
            name: "IntegrationTests", dependencies: shared + ["ImgproxyURLs", "TintypeContracts", "PNG", "TestSupport"],
            exclude: ["Clients", "Kubernetes", "Monitoring"], swiftSettings: tests),
    ],
    swiftLanguageModes: [.v6]
)

package.targets += coordinatorFeatures.map { feature in
    .target(
        name: "Tintype\(feature.name)", dependencies: shared + ["Coordinator", "TintypeContracts"] + feature.needs,
        path: "Sources/Features/\(feature.name)", exclude: feature.name == "Dashboard" ? ["CPages", "Files"] : [], swiftSettings: rules)
}
// The texts of the dashboard's files.
if coordinatorFeatures.contains(where: { $0.name == "Dashboard" }) {
    package.targets.append(.target(name: "CPages", path: "Sources/Features/Dashboard/CPages"))
}
package.targets += workerFeatures.map { feature in
    .target(
        name: "Tintype\(feature.name)", dependencies: shared + ["Worker", "TintypeContracts"] + feature.needs,
        path: "Sources/Features/\(feature.name)", swiftSettings: rules + glib)
}
package.targets += commandFeatures.map { feature in
    .target(
        name: "Tintype\(feature.name)", dependencies: shared + ["Console", "TintypeContracts"] + feature.needs, path: "Sources/Features/\(feature.name)",
        swiftSettings: rules + unoptimized)
}
package.targets += sharedFeatures.map { feature in
    .target(
        name: "Tintype\(feature.name)", dependencies: shared + feature.needs, path: "Sources/Features/\(feature.name)", swiftSettings: rules)
}
