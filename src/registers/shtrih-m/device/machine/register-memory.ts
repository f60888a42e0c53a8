import type { DriveStorage } from "../../../virtual/drive.ts";

/** A stored change outside the drive. */
type RegisterRecord =
  /** A written table field. `value`: Base64. */
  | { kind: "table"; table: number; row: number; field: number; value: string }
  /** The device's clock minus the host computer's clock, ms. */
  | { kind: "clock"; offsetMs: number }
  | { kind: "x-report" }
  /** A cancelled receipt. `type`: as in 8Dh. */
  | { kind: "cancelled"; type: number; sumKopecks: number; shift: number };

type Cancelled = Extract<RegisterRecord, { kind: "cancelled" }>;

/** Tables, clock and counters of the register. Every change is stored before it is acknowledged. */
export class RegisterMemory {
  readonly #storage: DriveStorage;
  readonly #fields = new Map<string, Buffer>();
  #clockOffsetMs: number | undefined;
  #xReports = 0;
  #cancelled: Cancelled[] = [];
  #cancelledEver = 0;

  private constructor(storage: DriveStorage) {
    this.#storage = storage;
  }

  /**
   * Reads the stored changes. `cutBytes`: the length of an unfinished change that was cut away. Throws the storage's Failure when it is
   * damaged.
   */
  static async open(storage: DriveStorage): Promise<{ memory: RegisterMemory; cutBytes: number }> {
    const memory = new RegisterMemory(storage);
    const { cutBytes } = await storage.load((bytes) => memory.#remember(JSON.parse(bytes.toString("utf8")) as RegisterRecord));
    return { memory, cutBytes };
  }

  /** Undefined: the clock was never set. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs;
  }

  get xReports(): number {
    return this.#xReports;
  }

  get cancelledEver(): number {
    return this.#cancelledEver;
  }

  field(table: number, row: number, field: number): Buffer | undefined {
    return this.#fields.get(keyOf(table, row, field));
  }

  cancelledIn(shift: number): readonly Cancelled[] {
    return this.#cancelled.filter((record) => record.shift === shift);
  }

  /** Adds a change, which is stored when the promise resolves. Throws a Failure when the storage fails. */
  async keep(record: RegisterRecord): Promise<void> {
    await this.#storage.append(Buffer.from(JSON.stringify(record), "utf8"));
    this.#remember(record);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  #remember(record: RegisterRecord): void {
    switch (record.kind) {
      case "table":
        this.#fields.set(keyOf(record.table, record.row, record.field), Buffer.from(record.value, "base64"));
        break;
      case "clock":
        this.#clockOffsetMs = record.offsetMs;
        break;
      case "x-report":
        this.#xReports += 1;
        break;
      case "cancelled":
        // Only the running shift's values are read later, so older values are dropped.
        this.#cancelled = [...this.cancelledIn(record.shift), record];
        this.#cancelledEver += 1;
        break;
    }
  }
}

function keyOf(table: number, row: number, field: number): string {
  return `${table}/${row}/${field}`;
}
