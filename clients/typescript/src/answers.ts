import type { ErrorName, ImageResult, Operation, Phase, SourceInfo, Tier } from "./generated.ts";

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What a token permits. */
export type Role = "load" | "put" | "admin";

/** Where a receipt is. */
export type ReceiptStateName = "queued" | "delayed" | "running" | "paused" | "succeeded" | "failed" | "cancelled";

/** An error as the service sends it. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: {
    readonly name: ErrorName;
    readonly phase?: Phase;
    readonly retryable?: boolean;
    readonly message?: string;
    readonly [name: string]: unknown;
  };
}

/** What `describe` and `samples` found out. */
export interface Description {
  readonly blurhash?: string;
  /** A ThumbHash in base64: the placeholder of `<tintype-image>`. */
  readonly thumbhash?: string;
  readonly dominantColor?: string;
  readonly averageColor?: string;
  readonly palette?: readonly { readonly color: string; readonly share: number }[];
  readonly phash?: string;
  readonly exif?: { readonly [name: string]: Json };
  readonly animation?: { readonly loop: number; readonly delays: readonly number[] } | null;
  readonly gainMap?: Json;
  readonly hdr?: "pq" | "hlg" | null;
  readonly colors?: Json;
}

/** The answer of `image.submit`. */
export interface SubmitResult {
  readonly receipt: string;
  readonly state: ReceiptStateName;
  readonly position?: number | null;
  readonly durable?: boolean;
  readonly result?: ImageResult;
  readonly error?: ErrorBody;
}

/** The answer of `image.probe`. */
export interface ProbeResult {
  readonly source: SourceInfo;
  readonly description: Description;
}

/** The answer of `receipt.get`. */
export interface ReceiptState extends SubmitResult {
  readonly progress?: { readonly [name: string]: Json };
  readonly attempts?: number;
  readonly worker?: string;
}

/** The answer of `receipt.cancel` and `group.cancel`. */
export interface CancelResult {
  readonly cancelled?: boolean;
  readonly reason?: "finished" | "unknown";
  readonly results?: readonly { readonly receipt: string; readonly cancelled: boolean; readonly reason?: "finished" | "unknown" }[];
}

/** The answer of a method that starts a group. */
export interface GroupStarted {
  readonly group: string;
  readonly durable?: boolean;
}

/** The answer of `group.get`. */
export interface GroupState {
  readonly group: string;
  readonly kind: "prefetch" | "batch" | "chain";
  readonly state: "running" | "succeeded" | "failed" | "cancelled";
  readonly finished: number;
  readonly total: number;
  readonly origins?: { readonly [from: string]: number };
  readonly skipped?: number;
  readonly results?: readonly GroupItem[];
  readonly failed?: { readonly index: number; readonly error: ErrorBody };
  readonly reason?: string;
  readonly next?: number;
}

/** An item of a group. */
export interface GroupItem {
  readonly index: number;
  readonly state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  readonly receipt?: string;
  readonly result?: ImageResult;
  readonly error?: ErrorBody;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins. */
  readonly cursor?: string;
}

/** A fetch that has failed for good. */
export interface DeadLetter {
  readonly id: string;
  readonly url: string;
  readonly error: ErrorBody;
  readonly attempts: number;
  readonly at: number;
  readonly retryable: boolean;
}

/** A source that is not asked for the time being. */
export interface BlacklistEntry {
  readonly id: string;
  readonly queue: string;
  readonly url: string;
  readonly cause: ErrorName;
  readonly status?: number;
  readonly refuses: "all" | "pictures";
  readonly since: number;
  readonly until: number;
}

/** A worker with a recent heartbeat. */
export interface WorkerInfo {
  readonly id: string;
  readonly host: string;
  readonly slots: number;
  readonly running: number;
  readonly rssBytes: number;
  /** Its pixel processes. */
  readonly pixels?: { readonly processes: number; readonly busy: number; readonly waiting: number };
  readonly seenSeconds: number;
  readonly state: "starting" | "running" | "quiet" | "draining" | "stopped" | "lost";
  readonly missingQueues?: readonly string[];
}

/** What was removed. */
export interface Removed {
  readonly removed: number;
  readonly bytes: number;
}

/** How much a tier has. */
export interface TierStats {
  readonly count: number;
  readonly bytes: number;
  readonly capacity: number | null;
}

/** What all workers can do. */
export interface FormatsResult {
  readonly decode: readonly string[];
  readonly encode: readonly string[];
  readonly lossless: readonly string[];
  readonly fonts: readonly string[];
  readonly operations: readonly {
    readonly name: Operation["op"];
    readonly summary: string;
    readonly parameters: readonly { readonly [name: string]: Json }[];
  }[];
}

/** One coordinator. */
export interface SystemInfo {
  /** Only for an admin, as `versions`, `rpc` and `redis` are. */
  readonly version?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly coordinator: string;
  readonly coordinators: number;
  readonly uptime: number;
  readonly rpc?: string;
  readonly http: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly redis?: { readonly address: string; readonly connected: boolean; readonly connectedSeconds: number | null };
  readonly identity: {
    readonly name?: string;
    readonly role?: Role;
    readonly scope?: string;
    readonly queues?: readonly string[];
    readonly [name: string]: Json | undefined;
  };
  readonly state: "serving" | "draining";
}

/** The answers of methods that no description has the types of. The compiler holds that all of them are here. */
export interface Answers {
  "image.submit": SubmitResult;
  "image.probe": ProbeResult;
  "request.explain": { readonly [name: string]: Json };
  "formats.list": FormatsResult;
  "receipt.get": ReceiptState;
  "receipt.cancel": CancelResult;
  "receipt.pause": { readonly state: "paused" };
  "receipt.resume": { readonly state: ReceiptStateName };
  "receipt.setPriority": { readonly priority: number };
  "prefetch.start": GroupStarted;
  "batch.start": GroupStarted;
  "chain.start": GroupStarted;
  "chain.append": GroupStarted;
  "group.get": GroupState;
  "group.cancel": CancelResult;
  "dead.list": Page<DeadLetter>;
  "dead.retry": { readonly retried: number };
  "dead.remove": { readonly removed: number };
  "workers.list": readonly WorkerInfo[];
  "workers.quiet": { readonly worker: string; readonly quiet: boolean };
  "cache.contains": { readonly tiers: readonly Tier[] };
  "cache.put": { readonly key: string; readonly bytes: number };
  "cache.setMetadata": { readonly changed: number };
  "cache.remove": Removed;
  "cache.purge": { readonly results: number; readonly sources: number; readonly fetches: number };
  "cache.pin": { readonly pinned: number };
  "cache.unpin": { readonly unpinned: number };
  "cache.trim": Removed;
  "cache.clear": Removed;
  "cache.stats": { readonly [tier in Tier]?: TierStats };
  "blacklist.list": Page<BlacklistEntry>;
  "blacklist.remove": { readonly removed: number };
  "blacklist.clear": { readonly removed: number };
  "events.subscribe": { readonly subscription: string };
  "events.unsubscribe": { readonly removed: boolean };
  "activity.get": { readonly active: boolean; readonly running: number; readonly fleet: number };
  "activity.begin": { readonly activity: string };
  "activity.end": { readonly ended: boolean };
  "system.ping": "pong";
  "system.info": SystemInfo;
  "system.validate": { readonly ok: boolean; readonly violations: readonly string[] };
  "session.authenticate": { readonly ok: true; readonly role: Role };
  "rpc.discover": { readonly [name: string]: Json };
  "stats.series": { readonly step: number; readonly bounds: readonly number[]; readonly points: readonly { readonly [name: string]: Json }[] };
  "runs.list": Page<{ readonly [name: string]: Json }>;
  "hosts.list": Page<{ readonly [name: string]: Json }>;
  "pictures.list": Page<{ readonly [name: string]: Json }>;
  "pictures.get": { readonly key: string; readonly operations: Json };
  "pictures.url": { readonly path: string; readonly signed: boolean };
  "failures.list": Page<{ readonly [name: string]: Json }>;
  "failures.retry": { readonly retried: number; readonly pardoned: number };
}
