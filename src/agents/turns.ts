/** Runs the work for each name one piece after another, in the order of the calls. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const doing = before.then(work);
    // A failure reaches only the caller whose work failed. The next work runs in any case.
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
