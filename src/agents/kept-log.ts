/** The limits of the kept lines of one agent. The logs of 5,000 agents must fit into memory. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 32 * 1024;

/** The newest lines of an agent's log, numbered from 1. */
export class KeptLog {
  #lines: string[] = [];
  #characters = 0;
  #newest = 0;

  get newest(): number {
    return this.#newest;
  }

  add(lines: readonly string[]): void {
    for (const line of lines) {
      this.#lines.push(line);
      this.#characters += line.length;
      this.#newest += 1;
    }
    let surplus = 0;
    while (this.#lines.length - surplus > 1 && (this.#lines.length - surplus > MAX_LINES || this.#characters > MAX_CHARACTERS)) {
      this.#characters -= this.#lines[surplus]?.length ?? 0;
      surplus += 1;
    }
    if (surplus > 0) this.#lines = this.#lines.slice(surplus);
  }

  last(count: number): string[] {
    return this.#lines.slice(-count);
  }

  /** Returns the kept lines that came after the line `number`. */
  after(number: number): string[] {
    const count = Math.max(0, this.#newest - number);
    return count === 0 ? [] : this.#lines.slice(-count);
  }
}
