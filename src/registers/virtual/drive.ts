/** The append-only storage of a drive's records. */
export interface DriveStorage {
  /** Passes every record to `each`, in the order of writing. Called once, before anything else. */
  load(each: (record: Buffer, position: number) => void): Promise<Loaded>;
  /**
   * Appends a record and returns its position. On return the record is stored; a storage in a file is flushed. After a rejection the record
   * may or may not be stored, and nothing can be appended until the storage is reopened.
   */
  append(record: Buffer): Promise<number>;
  /** Returns the record at a position from `load` or `append`. */
  read(position: number): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Loaded {
  records: number;
  /** The length of an unfinished record, whose `append` never returned and which was removed; 0 without one. */
  cutBytes: number;
}

/** A drive in memory. A device that is opened again on the same object finds all records. */
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
