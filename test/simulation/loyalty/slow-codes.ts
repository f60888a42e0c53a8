interface Send {
  person: string;
  phone: string;
  atMs: number;
  waitMs: number;
}

const MINUTE_MS = 60_000;
const LIFE_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The limits of loyalty-model 11 on codes for spending in one point of sale, computed in the simplest way. */
export class SlowCodes {
  readonly #sends: Send[] = [];

  /**
   * What a person who asks for a code must be told. Only the person's own newest code makes the person wait. How long depends on all codes
   * to the phone, whoever asked for them.
   */
  told(person: string, phone: string, nowMs: number): "taken" | "too-soon" | "too-many" {
    const own = this.#ofPhone(phone);
    const newest = own.findLast((send) => send.person === person);
    if (newest !== undefined && newest.atMs + LIFE_MS > nowMs && newest.atMs + newest.waitMs > nowMs) return "too-soon";
    const isTooMany = within(own, HOUR_MS, nowMs) >= 5 || within(own, DAY_MS, nowMs) >= 10 || within(this.#sends, HOUR_MS, nowMs) >= 30;
    return isTooMany ? "too-many" : "taken";
  }

  sent(person: string, phone: string, nowMs: number): void {
    // The wait is one minute after each of the first three codes of a day, then twice as long each time, but at most ten minutes.
    let waitMs = MINUTE_MS;
    for (let send = 3; send < within(this.#ofPhone(phone), DAY_MS, nowMs) + 1; send += 1) waitMs = Math.min(10 * MINUTE_MS, waitMs * 2);
    this.#sends.push({ person, phone, atMs: nowMs, waitMs });
  }

  #ofPhone(phone: string): Send[] {
    return this.#sends.filter((send) => send.phone === phone).sort((a, b) => a.atMs - b.atMs);
  }
}

function within(sends: readonly Send[], periodMs: number, nowMs: number): number {
  return sends.filter(({ atMs }) => atMs > nowMs - periodMs).length;
}
