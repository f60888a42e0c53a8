import { type FSWatcher, watch } from "node:fs";

/** Our own files in the folder; what is written there says nothing of the server's work. */
const OWN_FILES = /(^|\/)demo-(server|device)\./;

/**
 * Counts what is written below a folder, so that a death can be aimed between two writes of the server:
 * that is where a commit is cut in half. Where the system cannot watch folders it never counts anything.
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

  /** Resolves when so many writes more have been seen, or when the signal is aborted. */
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
    // A folder that vanishes, or too many watches: fewer deaths are aimed, none is missing.
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
