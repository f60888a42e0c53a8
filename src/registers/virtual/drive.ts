/** The storage of a drive's records. Records are only added, never changed. */
export interface DriveStorage {
  /** Passes every record to `each`, in the order of writing. Called once, before anything else. */
  load(each: (record: Buffer, position: number) => void): Promise<Loaded>;
  /**
   * Adds a record and returns its position. The record is then on disk. After a rejection it is unknown whether the record is there, and
   * nothing more can be added until the storage is opened again.
   */
  append(record: Buffer): Promise<number>;
  /** Returns the record at a position that `load` or `append` gave. */
  read(position: number): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Loaded {
  records: number;
  /** The length of an unfinished last record that was removed. It was never acknowledged. */
  cutBytes: number;
}

/** A drive in memory, which exists as long as this object. A device that is opened on it again finds all records. */
export class MemoryDrive implements DriveStorage {
  readonly #records: Buffer[] = [];

  load(each: (record: Buffer, position: number) => void): Promise<Loaded> {
    this.#records.forEach(each);
    return Promise.resolve({ records: this.#records.length, cutBytes: 0 });
  }

  append(record: Buffer): Promise<number> {
    return Promise.resolve(this.#records.push(record) - 1);
  }

  read(position: number): Promise<Buffer> {
    const record = this.#records[position];
    return record === undefined ? Promise.reject(new RangeError(`no record at ${position}`)) : Promise.resolve(record);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
