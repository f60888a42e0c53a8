/** A first-in, first-out queue. A full queue refuses new items. */
export class BoundedQueue<T> {
  readonly #limit: number;
  #items: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Returns false, and drops the item, when the queue is full. */
  offer(item: T): boolean {
    if (this.#items.length >= this.#limit) return false;
    this.#items.push(item);
    return true;
  }

  take(): T | undefined {
    return this.#items.shift();
  }
}
