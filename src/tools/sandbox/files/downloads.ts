import type { Clock } from "../../../kernel/clock.ts";

/** How long a link to a file is valid, unless the caller states a time (json-api 15). */
export const FILE_LINK_MS = 60_000;
/** The longest time that a caller may state. */
export const MAX_LINK_SECONDS = 86_400;
/** How many links are remembered. The oldest are dropped. Links are small, and a test makes a few. */
const MAX_LINKS = 10_000;

/** The content behind a link. */
interface Download {
  readonly bytes: Buffer;
  readonly type: string;
  readonly filename: string;
}

/** Temporary links without authorization. They live in memory, because they are valid for minutes only. */
export class Downloads {
  readonly #clock: Clock;
  readonly #links = new Map<string, { until: number; read: () => Download | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a link for a time. `read` makes the content when the link is used. */
  open(downloadId: string, forMs: number, read: () => Download | undefined): void {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= MAX_LINKS && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(downloadId, { until: this.#clock.nowMs() + forMs, read });
  }

  /** Returns the content of the link with this id. Undefined: the id is unknown, or the link is no longer valid. */
  take(downloadId: string): Download | undefined {
    const link = this.#links.get(downloadId);
    if (link === undefined || link.until < this.#clock.nowMs()) return undefined;
    return link.read();
  }
}

/** Returns the media type for the extension of a file's name. A file with an unknown extension is `application/octet-stream`. */
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
