// Prints the id and the type of each event of a stream, until EventSource stops for good.
const types = ["state", "gap", "queued", "started", "progress", "rendition", "succeeded", "failed", "cancelled"];
const source = new EventSource(Deno.args[0]);
for (const type of types) {
    source.addEventListener(type, (event) => console.log((event as MessageEvent).lastEventId, type));
}
source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
        console.log("closed");
        Deno.exit(0);
    }
};
