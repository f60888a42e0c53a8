import { type FSWatcher, watch } from "node:fs";

/** Output files of the server, the device and the bank in the folder. Writes to them do not count. */
const OWN_FILES = /(^|\/)demo-(server|device|bank)\./;

/**
 * Counts the writes below a folder, so that a kill can happen between two writes of the server, in the middle of a commit. Writes of an
 * agent or of a device's drive in the folder count too. Counts nothing when the system cannot watch folders.
 */
export class WriteCounter {
  readonly #watcher: FSWatcher | undefined;
  #count = 0;
  #wake: () => void = () => {};

  constructor(folder: string) {
    this.#watcher = watchOf(folder, (file) => {
      if (OWN_FILES.test(file)) return;
      this.#count += 1;
      this.#wake();
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Resolves after this many further writes, or when the signal is aborted. */
  async after(writes: number, signal: AbortSignal): Promise<void> {
    const target = this.#count + writes;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    while (this.#count < target && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#watcher?.close();
  }
}

function watchOf(folder: string, seen: (file: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { recursive: true }, (_, file) => seen(file ?? ""));
    // The folder has vanished, or the system allows no more watches. From then on kills happen by time only. No kill is omitted.
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
