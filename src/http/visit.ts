import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyBudget, BodyRoom } from "./body-budget.ts";
import type { Turnstile } from "./turnstile.ts";
import type { Unzip, Unzipped } from "./unzip.ts";

const VISIT = Symbol("visit");

/**
 * A request under way, as the bounds for callers without a key see it. It is looked at until it is proved, answered, or has to
 * wait for its caller to send.
 */
export class Visit {
  readonly #turnstile: Turnstile;
  readonly #bodies: BodyBudget;
  readonly #unzip: Unzip;
  readonly #response: ServerResponse;
  #room: BodyRoom | undefined;
  #proved = false;
  #over = false;

  constructor(parts: { turnstile: Turnstile; bodies: BodyBudget; unzip: Unzip; response: ServerResponse }) {
    this.#turnstile = parts.turnstile;
    this.#bodies = parts.bodies;
    this.#unzip = parts.unzip;
    this.#response = parts.response;
    this.#turnstile.beginLook(this);
  }

  /** Its caller has shown a key: what it asks for from now on is work and no longer a nuisance. */
  get proved(): boolean {
    return this.#proved;
  }

  prove(): void {
    this.#proved = true;
    this.#leave();
  }

  /** What it waits for is not its own doing. */
  setAside(): void {
    this.#turnstile.endLook(this);
  }

  /** Room for a body that is to be read; a caller that is proved has it for nothing. */
  openBody(evict: () => void): BodyRoom {
    this.#turnstile.endLook(this);
    if (this.#proved || this.#over) return UNBOUNDED;
    this.#room = this.#bodies.open(evict);
    return this.#room;
  }

  /** The body is there, and is looked at. */
  takeBody(): void {
    if (!this.#proved && !this.#over) this.#turnstile.beginLook(this);
  }

  unzip(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
    return this.#unzip.unzip(bytes, maxBytes);
  }

  /** What is left of the body is not worth reading: the connection ends with the answer. */
  endConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader("Connection", "close");
  }

  /** It is answered, or its caller has gone. */
  end(): void {
    this.#over = true;
    this.#leave();
  }

  #leave(): void {
    this.#turnstile.endLook(this);
    this.#room?.close();
  }
}

const UNBOUNDED: BodyRoom = { grow: () => true, close: () => {} };

/** Puts the visit where both ends of the request are. */
export function beginVisit(visit: Visit, request: IncomingMessage, response: ServerResponse): void {
  for (const end of [request, response]) Object.defineProperty(end, VISIT, { value: visit });
  response.once("close", () => visit.end());
}

/** Undefined for a request that came through no server of ours. */
export function visitOf(end: IncomingMessage | ServerResponse): Visit | undefined {
  const visit: unknown = Reflect.get(end, VISIT);
  return visit instanceof Visit ? visit : undefined;
}
