import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyBudget, BodyRoom, BodySender } from "./body-budget.ts";
import type { ParseOrder } from "./parse-order.ts";
import type { ProvedNetworks } from "./proved-networks.ts";
import type { Unzip, Unzipped } from "./unzip.ts";

const UNPROVED = Symbol("unproved request");

/**
 * A running request, for the limits on unproved requests, which count it until it is proved or answered. `ParseOrder` counts it while it is
 * handled, and not while it waits for its caller or for work that many callers share. `BodyBudget` counts its body from the first byte on.
 */
export class UnprovedRequest {
  readonly #parseOrder: ParseOrder;
  readonly #bodies: BodyBudget;
  readonly #unzip: Unzip;
  readonly #response: ServerResponse;
  readonly #sender: BodySender;
  readonly #provedNetworks: Pick<ProvedNetworks, "note">;
  #room: BodyRoom | undefined;
  #proved = false;
  #over = false;

  constructor(parts: {
    parseOrder: ParseOrder;
    bodies: BodyBudget;
    unzip: Unzip;
    provedNetworks: Pick<ProvedNetworks, "note">;
    response: ServerResponse;
    sender: BodySender;
  }) {
    this.#parseOrder = parts.parseOrder;
    this.#bodies = parts.bodies;
    this.#unzip = parts.unzip;
    this.#response = parts.response;
    this.#sender = parts.sender;
    this.#provedNetworks = parts.provedNetworks;
    this.#parseOrder.beginHandling(this);
  }

  /** True when a signature, a token or a secret address has proved the request. */
  get proved(): boolean {
    return this.#proved;
  }

  /** Ends all limits on this request, and notes that its network has proved a request. Safe to repeat. */
  prove(): void {
    this.#proved = true;
    this.#provedNetworks.note(this.#sender.network);
    this.#leave();
  }

  /** Stops counting the request as being handled, because it waits for work that many callers share. */
  setAside(): void {
    this.#parseOrder.endHandling(this);
  }

  /**
   * Takes room for a body that will be read. Until `takeBody` the request is not counted as being handled. A request that is proved or over
   * takes no room from the budget. Calls `evict` if the body must be dropped.
   */
  openBody(evict: () => void): BodyRoom {
    this.#parseOrder.endHandling(this);
    if (this.#proved || this.#over) return UNBOUNDED;
    this.#room = this.#bodies.open(evict, this.#sender);
    return this.#room;
  }

  /**
   * Notes that the reading of the body has ended, also without the whole body. Counts the request as being handled again, unless it is
   * proved or over.
   */
  takeBody(): void {
    this.#room?.arrive();
    this.#count();
  }

  /**
   * Decompresses a body. A large body waits for the large bodies before it. Meanwhile the request is not counted as being handled:
   * otherwise callers with large bodies would keep all other callers waiting.
   */
  async unzip(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
    const small = this.#unzip.unzipSmall(bytes, maxBytes);
    if (small !== undefined) return small;
    this.#parseOrder.endHandling(this);
    const unzipped = await this.#unzip.unzipLarge(bytes, maxBytes);
    this.#count();
    return unzipped;
  }

  /** Ends the connection after the answer, because the rest of the body is not read. No effect when the answer has begun. */
  endConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader("Connection", "close");
  }

  /** Ends the counting: the request is answered, or its caller has closed the connection. */
  end(): void {
    this.#over = true;
    this.#leave();
  }

  #count(): void {
    if (!this.#proved && !this.#over) this.#parseOrder.beginHandling(this);
  }

  #leave(): void {
    this.#parseOrder.endHandling(this);
    this.#room?.close();
  }
}

const UNBOUNDED: BodyRoom = { grow: () => true, arrive: () => {}, close: () => {} };

/**
 * Makes `unprovedRequestOf` find the counted request from the request and from its response. Ends the counting when the response closes.
 */
export function attachUnprovedRequest(unproved: UnprovedRequest, request: IncomingMessage, response: ServerResponse): void {
  for (const end of [request, response]) Object.defineProperty(end, UNPROVED, { value: unproved });
  response.once("close", () => unproved.end());
}

/** Returns the counted request. Undefined: the request did not come through `HttpServer`. */
export function unprovedRequestOf(end: IncomingMessage | ServerResponse): UnprovedRequest | undefined {
  const unproved: unknown = Reflect.get(end, UNPROVED);
  return unproved instanceof UnprovedRequest ? unproved : undefined;
}
