import { TintypeError } from "./errors.ts";
import type { LoadedImage, Rendition } from "./image.ts";
import type { ErrorBody, ReceiptStateName } from "./answers.ts";
import type { EventFacts, EventMembers, ImageResult, RenditionInfo } from "./generated.ts";
import { decode } from "./tcp.ts";
import type { WireEvent } from "./transport.ts";

/** The members of events that the client reads: images and errors in place of their JSON. */
interface ReadMembers {
  preview: Omit<EventMembers["preview"], "data" | "key"> & { readonly data: Uint8Array<ArrayBuffer> };
  cached: { readonly image: LoadedImage };
  rendition: { readonly rendition: Rendition };
  retrying: Omit<EventMembers["retrying"], "error"> & { readonly error: TintypeError };
  succeeded: { readonly image: LoadedImage };
  failed: { readonly error: TintypeError };
}

/** The members of events that only a client has. */
interface OwnMembers {
  /** A fixed point of a request with `hooks`, over TCP. */
  hook: { readonly hook: "willStart" | "willStop" | "didStop" };
  /** Where the receipt is when its events begin, over HTTP. */
  state: { readonly state: ReceiptStateName; readonly position?: number | null };
  /** The connection was lost: events in front of this one may be missing. */
  gap: object;
}

type AllMembers = Omit<EventMembers, keyof ReadMembers> & ReadMembers & OwnMembers;
type Facts = Partial<Omit<EventFacts, "receipt" | "seq" | "requestId">> & Pick<EventFacts, "receipt">;

/** Something that happened to a receipt, told apart by `type`. */
export type TaskEvent = { [Type in keyof AllMembers]: Facts & { readonly type: Type } & AllMembers[Type] }[keyof AllMembers];

/** Makes images and renditions of what an event has. */
export interface EventMaker {
  image(result: ImageResult): LoadedImage;
  rendition(info: RenditionInfo): Rendition;
}

/** Reads an event of the service. */
export function taskEvent(wire: WireEvent, make: EventMaker): TaskEvent {
  const { result, error, data, seq: _, requestId: _id, subscription: _name, ...rest } = wire;
  switch (wire.type) {
    case "succeeded":
    case "cached":
      return { ...rest, image: make.image(result as ImageResult) } as TaskEvent;
    case "failed":
    case "retrying":
      return { ...rest, error: new TintypeError(error as ErrorBody) } as TaskEvent;
    case "rendition": {
      const { receipt, at, queue, traceparent, tag, userInfo, group, type, ...info } = rest;
      const facts = Object.entries({ receipt, at, queue, traceparent, tag, userInfo, group, type }).filter(([, value]) => value !== undefined);
      return { ...Object.fromEntries(facts), rendition: make.rendition(info as unknown as RenditionInfo) } as TaskEvent;
    }
    case "preview":
      return { ...rest, data: typeof data === "string" ? decode(data) : data } as TaskEvent;
    default:
      return rest as unknown as TaskEvent;
  }
}
