interface Place<T> {
  value: T | undefined;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * Objects in the order in which they were added, like a `Set`. For objects that come and go all the time, such as requests.
 *
 * A `Set` or `Map` makes a new table after some changes. V8 links the former table to the new table, and the former table keeps its
 * objects. A former table may get into the old generation of the heap. Then the quick collections free neither the later tables nor their
 * objects, although the program uses none of them. Only a collection of the whole heap frees them. Until then thousands of finished
 * requests may double the memory. This class links the objects themselves, so a deleted object is linked to nothing.
 */
export class OrderedObjects<T extends object> {
  readonly #places = new WeakMap<T, Place<T>>();
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest object. Undefined: there is none. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  has(object: T): boolean {
    return this.#places.has(object);
  }

  /** Adds the object at the end. An object that is already there keeps its place. */
  add(object: T): void {
    if (this.#places.has(object)) return;
    const place: Place<T> = { value: object, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#places.set(object, place);
    this.#size += 1;
  }

  /** Returns false when the object was not there. */
  delete(object: T): boolean {
    const place = this.#places.get(object);
    if (place === undefined) return false;
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    // The place may be in the old generation of the heap. Then everything that it still refers to would survive the quick collections.
    place.value = undefined;
    place.before = undefined;
    place.after = undefined;
    this.#places.delete(object);
    this.#size -= 1;
    return true;
  }

  /** Yields the objects that are there when the loop begins, even if they are deleted meanwhile. Objects may be added meanwhile. */
  [Symbol.iterator](): ArrayIterator<T> {
    const objects: T[] = [];
    for (let place = this.#first; place !== undefined; place = place.after) if (place.value !== undefined) objects.push(place.value);
    return objects[Symbol.iterator]();
  }
}
