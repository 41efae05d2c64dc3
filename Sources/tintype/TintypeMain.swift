package import Console
import Glibc
import TintypeTransport
import TintypeDoctor
import TintypeTop
import TintypeUp

/// The features of the command line. Without its line here, a command is unknown.
package let commandFeatures: [Command] = [
    .up,
    .doctor,
    .top,
]

/// The command line of Tintype.
@main enum TintypeMain {
    static func main() async {
        ignoreBrokenPipes()
        exit(await CommandTable(features: commandFeatures).run(Array(CommandLine.arguments.dropFirst())))
    }
}
