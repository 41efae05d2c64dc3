/**
 * A client of Tintype for browsers, Deno and Node: HTTP and server-sent events everywhere, TCP where there is one.
 *
 * @module
 */
export { type BatchOptions, type LoadOptions, type Source, Tintype, type TintypeOptions, type Upload } from "./src/client.ts";
export { TintypeError } from "./src/errors.ts";
export type { TaskEvent } from "./src/events.ts";
export { ImageTask } from "./src/task.ts";
export { type GroupEvent, GroupTask } from "./src/group.ts";
export { LoadedImage, Rendition } from "./src/image.ts";
export { Dead, Queue } from "./src/queue.ts";
export { Caches, type Kept } from "./src/cache.ts";
export { type PictureOptions, Signer, type SignerOptions } from "./src/signer.ts";
export type { Token } from "./src/connector.ts";
export type { TLSOptions } from "./src/socket.ts";
export * from "./src/generated.ts";
export type * from "./src/answers.ts";
