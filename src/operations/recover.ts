import type { Entry } from "../journal/entry.ts";
import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { Lanes } from "./lanes.ts";
import { resume } from "./resume.ts";
import type { OperationServices } from "./services.ts";

/** How often what is unfinished is looked at again: a register that comes back is in service within that time. */
const RETRY_INTERVAL_MS = 5_000;

/**
 * Ends what was left unfinished: at the start after a kill, and later whatever a register could not tell
 * at once. Each entry is taken up in its own lane, oldest first; one silent register delays no other.
 */
export class Recovery {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;

  constructor(services: OperationServices, lanes: Lanes) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, RETRY_INTERVAL_MS, () => this.#once());
    this.#lanes = lanes;
  }

  /** Takes up everything at once, and goes on looking in the background. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  /** A busy lane is left alone: what is unfinished there has its turn now or settles before the next. */
  async #once(): Promise<void> {
    const { journal, log } = this.#services;
    try {
      const entries = (await journal.unfinished()).filter((entry) => !this.#lanes.isBusy(entry.register));
      await Promise.all(entries.map((entry) => this.#takeUp(entry)));
    } catch (error) {
      log.error({ error: messageOf(error) }, "unfinished operations could not be looked at");
    }
  }

  async #takeUp(entry: Entry): Promise<void> {
    const { log } = this.#services;
    const place = this.#lanes.enter(entry.register, () => resume(this.#services, entry));
    if (place.kind === "full") return;
    try {
      const ended = await place.result;
      if (ended.state !== "in-doubt") {
        log.warn({ entry: entry.id, from: entry.state, to: ended.state, register: entry.register }, "an unfinished operation was settled");
      }
    } catch (error) {
      log.error({ entry: entry.id, error: messageOf(error) }, "an unfinished operation could not be taken up");
    }
  }
}
