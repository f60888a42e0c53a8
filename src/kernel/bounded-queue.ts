/** First in, first out, with a limit: a full queue refuses instead of growing. */
export class BoundedQueue<T> {
  readonly #limit: number;
  #items: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#items.length;
  }

  /** False when the queue is full. Then the item is not kept. */
  offer(item: T): boolean {
    if (this.#items.length >= this.#limit) return false;
    this.#items.push(item);
    return true;
  }

  take(): T | undefined {
    return this.#items.shift();
  }
}
