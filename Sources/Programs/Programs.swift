// The target `programs` is all that people run. `swift build --target programs` builds and links the programs side by side, and not the tools of tests
// and benches.
