import type { Clock } from "../../../src/kernel/clock.ts";
import type { Link, Opened } from "../../../src/registers/links/link.ts";
import { MemoryEnd } from "../../support/memory-link.ts";
import type { Life } from "../life.ts";
import type { SeededChance } from "../seeded-chance.ts";
import { LONGEST_DELAY_MS, LONGEST_POWER_CUT_MS, type Troubles } from "../troubles.ts";
import { damaged } from "./damage.ts";

export interface CableParts {
  clock: Clock;
  chance: SeededChance;
  troubles(): Troubles;
  /** Called when somebody has opened the line: the device uses this end. */
  accept(far: Link): void;
  /** Called for each message of a host before it leaves. */
  sent(message: Uint8Array): void;
}

const OUT = "кабель вынут";

/**
 * The one cable between the server's machine and the device. The bytes of one direction arrive in the order in which
 * they were sent, whichever process has sent them. So the bytes of a dead process arrive before those of the next one.
 */
export class Cable {
  readonly #parts: CableParts;
  readonly #ways = { out: { freeAtMs: 0, underway: 0 }, in: { freeAtMs: 0, underway: 0 } };
  readonly #ends = new Set<MemoryEnd>();
  /** The reason why the line cannot be opened now. */
  #shut: string | undefined;

  constructor(parts: CableParts) {
    this.#parts = parts;
  }

  /**
   * A link over the cable for one process: each call of the link is an await of the process. The system closes the link
   * when the process dies.
   */
  linkOf(life: Life): Link {
    let end: MemoryEnd | undefined;
    const hangUp = async () => {
      const closing = end;
      if (closing !== undefined) this.#carry("out", () => void closing.close());
    };
    void life.died.then(hangUp);
    return {
      name: "cable",
      get isOpen() {
        return end?.isOpen ?? false;
      },
      open: () =>
        life.pass("link open", async (): Promise<Opened> => {
          if (end?.isOpen === true) return { kind: "open" };
          if (this.#shut !== undefined) return { kind: "shut", reason: this.#shut };
          end = this.#plug();
          return { kind: "open" };
        }),
      write: (bytes) => life.pass("link write", async () => end?.write(bytes) ?? { kind: "lost", reason: OUT, left: false }),
      drain: (deadline) => life.pass("link drain", async () => end?.drain(deadline) ?? { kind: "lost", reason: OUT, left: false }),
      read: (deadline) => life.pass("link read", async () => end?.read(deadline) ?? { kind: "lost", reason: OUT }),
      close: () => life.pass("link close", hangUp),
    };
  }

  /** Pulls the cable out, for as long as a person needs to put it back. */
  cut(): void {
    this.shut(OUT);
    this.#parts.clock.after(this.#parts.chance.below(LONGEST_POWER_CUT_MS), () => this.mend());
  }

  shut(reason: string): void {
    this.#shut = reason;
    for (const end of this.#ends) end.cut(reason);
    this.#ends.clear();
  }

  mend(): void {
    this.#shut = undefined;
  }

  #plug(): MemoryEnd {
    const { clock } = this.#parts;
    const host = new CableEnd(clock, (bytes, arrive) => this.#pass("in", bytes, arrive));
    const device = new CableEnd(clock, (bytes, arrive) => this.#pass("out", bytes, arrive));
    host.join(device);
    device.join(host);
    this.#ends.add(host);
    this.#parts.accept(device);
    return host;
  }

  #pass(direction: "out" | "in", message: Uint8Array, arrive: (bytes: Uint8Array) => void): void {
    const { chance, sent } = this.#parts;
    const troubles = this.#parts.troubles();
    if (direction === "out") sent(message);
    if (chance.happens(troubles.cut)) this.cut();
    const bytes = chance.happens(troubles.damage) ? damaged(message, chance) : Buffer.from(message);
    const delayMs = chance.happens(troubles.delay) ? chance.below(LONGEST_DELAY_MS) : 0;
    if (bytes.length > 0) this.#carry(direction, () => arrive(bytes), delayMs);
  }

  #carry(direction: "out" | "in", arrive: () => void, delayMs = 0): void {
    const { clock } = this.#parts;
    const way = this.#ways[direction];
    const nowMs = clock.monotonicMs();
    way.freeAtMs = Math.max(way.freeAtMs, nowMs) + delayMs;
    // Bytes that are due now and have not arrived yet arrive first.
    if (way.freeAtMs <= nowMs && way.underway === 0) {
      arrive();
      return;
    }
    way.underway += 1;
    clock.after(way.freeAtMs - nowMs, () => {
      way.underway -= 1;
      arrive();
    });
  }
}

/** One end of the cable. Bytes from the other end pass through the cable, which may damage or delay them. */
class CableEnd extends MemoryEnd {
  readonly #on: (bytes: Uint8Array, arrive: (bytes: Uint8Array) => void) => void;

  constructor(clock: Clock, on: (bytes: Uint8Array, arrive: (bytes: Uint8Array) => void) => void) {
    super({ clock });
    this.#on = on;
  }

  override arrive(bytes: Uint8Array): void {
    this.#on(bytes, (arrived) => super.arrive(arrived));
  }
}
