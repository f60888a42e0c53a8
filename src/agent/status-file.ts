import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type DataFolder, storeStatus } from "./folder/data-folder.ts";
import type { RegisterView } from "./service/service.ts";

interface StatusParts {
  clock: Clock;
  log: Log;
  views(): RegisterView[];
}

/** How often the file is rewritten, to update the registers' states. */
const ROUND_MS = 10_000;

/** Writes `status.json`, which only the command `status` reads. */
export class StatusFile {
  readonly #folder: DataFolder;
  readonly #parts: StatusParts;
  #connected = false;
  #since: string;
  #problem: { words: string; at: string } | undefined;
  #cancel = () => {};

  constructor(folder: DataFolder, parts: StatusParts) {
    this.#folder = folder;
    this.#parts = parts;
    this.#since = this.#now();
  }

  start(): void {
    this.#write();
    this.#cancel = this.#parts.clock.after(ROUND_MS, () => this.start());
  }

  connected(): void {
    this.#change(true);
  }

  /** Stores why there is no connection. False: the same words were stored last, and there was no connection in between. */
  lost(words: string): boolean {
    const isNew = this.#connected || this.#problem?.words !== words;
    this.#problem = { words, at: this.#now() };
    this.#change(false);
    return isNew;
  }

  close(): void {
    this.#cancel();
    if (this.#connected) this.#change(false);
  }

  #change(connected: boolean): void {
    if (connected !== this.#connected) this.#since = this.#now();
    this.#connected = connected;
    this.#write();
  }

  #write(): void {
    const problem = this.#problem === undefined ? {} : { lastProblem: this.#problem.words, lastProblemAt: this.#problem.at };
    try {
      storeStatus(this.#folder, { connected: this.#connected, since: this.#since, registers: this.#parts.views(), ...problem });
    } catch (error) {
      this.#parts.log.debug({ reason: messageOf(error) }, "the status could not be written");
    }
  }

  #now(): string {
    return new Date(this.#parts.clock.nowMs()).toISOString();
  }
}
