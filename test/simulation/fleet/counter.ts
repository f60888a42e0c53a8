import { join } from "node:path";
import type { StoreOptions } from "../../../src/store/database.ts";
import { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { recordsOf } from "../../support/drive-and-journal.ts";
import { type Agreement, compare } from "../processes/agreement.ts";
import { documentsAnswer, stateAnswer } from "../processes/control-answers.ts";
import { DeviceProgram } from "../processes/device-program.ts";
import { journalled } from "../processes/journalled.ts";
import { Progress } from "../processes/reaper.ts";
import { Shop } from "../processes/shop.ts";
import { type Place, Till } from "../processes/till.ts";
import { CuttableLine } from "./line.ts";

const TILLS = 2;
/** The number of operations that the first till makes between an opening and a closing. */
const OPERATIONS_A_SHIFT = 40;

/** One shop: a register of its own behind a line, and tills that work until they are told to end. */
export class Counter {
  readonly shop: Shop;
  readonly #device: DeviceProgram;
  readonly #random: SeededRandom;
  #line: CuttableLine | undefined;
  #tills: Till[] = [];

  constructor(folder: string, seed: number) {
    this.#random = new SeededRandom(seed);
    this.shop = new Shop(this.#random);
    this.#device = new DeviceProgram(folder);
  }

  get line(): CuttableLine {
    if (this.#line === undefined) throw new Error("the device was not started");
    return this.#line;
  }

  /** The register's address for the servers. */
  get address(): string {
    return `shtrih-m+tcp://127.0.0.1:${this.line.port}`;
  }

  async startDevice(): Promise<void> {
    await this.#device.start();
    const { hostname, port } = new URL(this.#device.address.replace("shtrih-m+tcp:", "http:"));
    this.#line = new CuttableLine({ host: hostname, port: Number(port) });
    await this.#line.open();
  }

  /** Works until a signal. `over` ends the trade, `failed` ends everything. The first till opens and closes the shifts. */
  async trade(place: Place, over: AbortSignal, failed: AbortSignal): Promise<void> {
    const parts = { shop: this.shop, server: place, progress: new Progress(), signal: failed };
    const ofTill = () => new Till({ ...parts, random: new SeededRandom(this.#random.below(2 ** 32)) });
    const senior = ofTill();
    const others = Array.from({ length: TILLS - 1 }, ofTill);
    this.#tills = [senior, ...others];
    await senior.openShift();
    const shifts = async () => {
      for (;;) {
        for (let operation = 0; operation < OPERATIONS_A_SHIFT && !over.aborted; operation += 1) await senior.work(1);
        if (over.aborted || failed.aborted) return;
        await senior.closeShift();
        await senior.openShift();
      }
    };
    const work = async (till: Till) => {
      while (!over.aborted && !failed.aborted) await till.work(1);
    };
    await Promise.all([shifts(), ...others.map(work)]);
  }

  /** Repeats each document until it has its answer, asks for each success again, and closes the shift. Nothing goes wrong meanwhile. */
  async finish(): Promise<void> {
    for (const till of this.#tills) await till.finish();
    await this.#tills[0]?.closeShift();
  }

  /** Compares the drive, the journal and the answers that the tills got. */
  async compare(store: StoreOptions): Promise<Agreement> {
    const told = documentsAnswer.parse((await this.#device.control.order({ do: "documents" })).documents);
    const state = stateAnswer.parse((await this.#device.control.order({ do: "state" })).state);
    await this.#device.kill();
    const documents = this.#tills.flatMap((till) => till.documents);
    const records = recordsOf(join(this.#device.driveFolder, "drive.records"));
    return compare({ told, state, records, documents, ...(await journalled(store, this.shop.installation.accountId)) });
  }

  get documents(): number {
    return this.#tills.reduce((sum, till) => sum + till.documents.length, 0);
  }

  async end(): Promise<void> {
    this.#line?.close();
    await this.#device.kill();
  }

  tail(): string[] {
    return this.#device.tail();
  }
}
