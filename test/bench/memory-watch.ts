import { readFileSync } from "node:fs";
import { pause, systemClock } from "../../src/kernel/clock.ts";

const SAMPLE_MS = 50;

/** The largest resident size of a process in many readings. */
export class MemoryWatch {
  readonly #pid: number;
  #peakKb = 0;
  #over = false;

  constructor(pid: number) {
    this.#pid = pid;
    void this.#look();
  }

  get peakMb(): number {
    return this.#peakKb / 1024;
  }

  close(): void {
    this.#over = true;
  }

  async #look(): Promise<void> {
    while (!this.#over) {
      const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#pid}/status`, "utf8"));
      this.#peakKb = Math.max(this.#peakKb, Number(found?.[1] ?? 0));
      await pause(systemClock, SAMPLE_MS);
    }
  }
}
