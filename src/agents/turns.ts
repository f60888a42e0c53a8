/** Does work for the same name one piece after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work after all work of this name that was given before. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const doing = before.then(work);
    // Each caller gets the failure of its own work. The next work begins in any case.
    const over = doing.then(
      () => {},
      () => {},
    );
    this.#last.set(name, over);
    void over.then(() => {
      if (this.#last.get(name) === over) this.#last.delete(name);
    });
    return doing;
  }
}
