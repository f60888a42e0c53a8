/** Where a drive's records are kept. Nothing is ever changed in it, only added. */
export interface DriveStorage {
  /** Hands over every record in the order of writing. Called once, before anything else. */
  load(each: (record: Buffer, position: number) => void): Promise<Loaded>;
  /**
   * Adds a record; on return it is durable. After a rejection nothing is known of the record and nothing
   * more can be added until the storage has been opened anew.
   */
  append(record: Buffer): Promise<number>;
  /** The record at a position that `load` or `append` named. */
  read(position: number): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Loaded {
  records: number;
  /** Bytes of an unfinished last record, which was never acknowledged and has been cut away. */
  cutBytes: number;
}

/** A drive that lives as long as this object; a device opened on it again finds everything. */
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
