import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { REGISTER_LEASES } from "./lease-names.ts";
import type { LeaseRow, Reading } from "./queries.ts";

interface DepartureServices {
  self: string;
  log: Log;
  /** Remembers the newest rows of the journal. Safe to repeat. */
  remember(): Promise<void>;
}

/**
 * Remembers the newest rows of the journal when another process has ended, is lost or has given a register away. This process may take over
 * a register of that process at once or hours later. It then compares the remembered rows with the database, as if it had written these
 * rows itself.
 */
export class Departures {
  readonly #services: DepartureServices;
  #serving: ReadonlySet<string> = new Set();
  /** The leases of registers that other processes hold. */
  #elsewhere: ReadonlySet<string> = new Set();
  #isDue = false;
  #isRunning = false;

  constructor(services: DepartureServices) {
    this.#services = services;
  }

  /**
   * Call this method with each reading. The method starts work and does not wait for the end of the work. After a failure the work is tried
   * again at the next reading.
   */
  follow({ processes, leases }: Pick<Reading, "processes" | "leases">): void {
    const { self } = this.#services;
    const serving = new Set(processes.filter(({ id, state }) => id !== self && state !== "lost").map(({ id }) => id));
    const elsewhere = new Set(leases.filter((row) => isRegisterOf(row, self)).map(({ name }) => name));
    // While a register goes from one other process to another, it needs no reading: this process can get it only from the latter.
    const isGiven = [...this.#elsewhere].some((name) => !elsewhere.has(name));
    if (isGiven || [...this.#serving].some((id) => !serving.has(id))) this.#isDue = true;
    this.#serving = serving;
    this.#elsewhere = elsewhere;
    if (this.#isDue && !this.#isRunning) void this.#remember();
  }

  async #remember(): Promise<void> {
    const { remember, log } = this.#services;
    this.#isDue = false;
    this.#isRunning = true;
    try {
      await remember();
    } catch (error) {
      this.#isDue = true;
      log.error({ error: messageOf(error) }, "the rows of a process that ended could not be read: they are read again");
    } finally {
      this.#isRunning = false;
    }
  }
}

/** Whether another process holds the lease, and the lease is of a register. */
function isRegisterOf({ name, holder }: LeaseRow, self: string): boolean {
  return name.startsWith(REGISTER_LEASES) && holder !== "" && holder !== self;
}
