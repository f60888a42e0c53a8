import type { Clock } from "../../../kernel/clock.ts";

/** How long a link to a file is good, if the caller does not say otherwise (reference 15). */
export const FILE_LINK_MS = 60_000;
/** The longest that a caller may ask for. */
export const MAX_LINK_SECONDS = 86_400;
/** Links that are remembered; the oldest go first. They are small, and a test makes a few. */
const MAX_LINKS = 10_000;

/** What a link leads to. */
interface Download {
  readonly bytes: Buffer;
  readonly type: string;
  readonly filename: string;
}

/** Links without authorization that end by themselves. They do not outlive the process: their time is minutes. */
export class Downloads {
  readonly #clock: Clock;
  readonly #links = new Map<string, { until: number; read: () => Download | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a link for a while; `read` makes the content when somebody comes for it. */
  open(ticket: string, forMs: number, read: () => Download | undefined): void {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= MAX_LINKS && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(ticket, { until: this.#clock.nowMs() + forMs, read });
  }

  /** What the ticket leads to; undefined when it is unknown or its time is over. */
  take(ticket: string): Download | undefined {
    const link = this.#links.get(ticket);
    if (link === undefined || link.until < this.#clock.nowMs()) return undefined;
    return link.read();
  }
}

/** Media type by the end of a file's name; what is not known is bytes. */
export function mediaTypeOf(filename: string): string {
  return TYPES.get(filename.toLowerCase().split(".").at(-1) ?? "") ?? "application/octet-stream";
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain; charset=utf-8"],
  ["json", "application/json"],
]);
