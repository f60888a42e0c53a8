/** Resources that must be released, the newest first. */
export class HeldResources {
  readonly #held: (() => Promise<void>)[] = [];

  keep<T>(taken: T, giveBack: (taken: T) => Promise<void>): T {
    this.#held.push(() => giveBack(taken));
    return taken;
  }

  async release(): Promise<void> {
    for (let give = this.#held.pop(); give !== undefined; give = this.#held.pop()) await give();
  }
}
