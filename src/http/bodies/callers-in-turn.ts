/** Bodies that wait, by caller. Callers take turns, however many bodies one caller has sent. */
export class CallersInTurn<Waiting> {
  /** The next caller first, and its oldest body first. */
  readonly #waiting = new Map<string, Waiting[]>();

  add(caller: string, body: Waiting): void {
    const others = this.#waiting.get(caller);
    if (others === undefined) this.#waiting.set(caller, [body]);
    else others.push(body);
  }

  countOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /** Takes the oldest body of the next caller, which moves behind all other callers. Undefined: no body waits. */
  take(): Waiting | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [caller, bodies] = next;
    const taken = bodies.shift();
    this.#waiting.delete(caller);
    if (bodies.length > 0) this.#waiting.set(caller, bodies);
    return taken;
  }

  forget(caller: string, gone: Waiting): void {
    const left = (this.#waiting.get(caller) ?? []).filter((body) => body !== gone);
    if (left.length === 0) this.#waiting.delete(caller);
    else this.#waiting.set(caller, left);
  }
}
