/// An event loop as the executor that tasks prefer. Their non-isolated code and default actors then run on the loop's thread too.
///
/// The loop owns it, and both live equally long.
package final class LoopTaskExecutor: TaskExecutor {
    private unowned let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        loop.append(.preferred(UnownedJob(job)))
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
