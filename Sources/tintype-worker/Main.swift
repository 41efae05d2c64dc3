import Glibc
import Worker

@main enum Main {
    static func main() {
        if let status = WorkerRole.run(Array(CommandLine.arguments.dropFirst())) { exit(status) }
        exit(2)
    }
}
