import type { Clock } from "../../../kernel/clock.ts";

/** Default lifetime of a file link (json-api 15). */
export const FILE_LINK_MS = 60_000;
/** The longest lifetime that a caller may choose. */
export const MAX_LINK_SECONDS = 86_400;
/** The maximum number of links in memory. The oldest are dropped. Links are small, and a test makes few. */
const MAX_LINKS = 10_000;

interface Download {
  readonly bytes: Buffer;
  readonly type: string;
  readonly filename: string;
}

/** Temporary links without authorization. They are in memory, so a restart loses them. */
export class Downloads {
  readonly #clock: Clock;
  readonly #links = new Map<string, { until: number; read: () => Download | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a link for some time. `read` makes the content at each use. */
  open(downloadId: string, forMs: number, read: () => Download | undefined): void {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= MAX_LINKS && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(downloadId, { until: this.#clock.nowMs() + forMs, read });
  }

  /** Returns the content of a link. Undefined: the link is unknown or expired, or its content no longer exists. */
  take(downloadId: string): Download | undefined {
    const link = this.#links.get(downloadId);
    if (link === undefined || link.until < this.#clock.nowMs()) return undefined;
    return link.read();
  }
}

/** Returns the media type for the file extension, `application/octet-stream` by default. */
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
