import type { Clock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { Examination, Examined, Finding } from "../../src/registers/examination-schema.ts";
import { type Fault, parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import { examine } from "../../src/registers/shtrih-m/examination/examination.ts";
import { watched } from "../../src/registers/shtrih-m/examination/line.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import { sameChance, ZONE } from "./register-bench.ts";
import { shiftDocument } from "./register-documents.ts";
import { Trial } from "./registers.ts";
import { Cable, type ShtrihBench, type ShtrihBenchOptions, shtrihBench } from "./shtrih-m-bench.ts";

export interface ExaminationOptions {
  protocol?: "1.0" | "2.0" | "auto";
  passwords?: { operator: number; system: number };
  print?: "paper" | "none";
  /** After how many bytes the cable breaks, once. */
  cutAfter?: { sent?: number; received?: number };
}

/** A device that nobody else uses, and an examination of it over a cable of its own. */
export class ExaminationTrial {
  readonly trial: Trial<ShtrihBench>;
  /** The bytes that the last examination has sent. */
  sent: Buffer = Buffer.alloc(0);

  private constructor(trial: Trial<ShtrihBench>) {
    this.trial = trial;
  }

  static async begin(options: ShtrihBenchOptions = {}): Promise<ExaminationTrial> {
    return new ExaminationTrial(await Trial.on((clock: Clock) => shtrihBench(clock, options)));
  }

  /** Opens a shift without a driver, as if somebody else had opened it. */
  async openShift(): Promise<void> {
    await this.trial.device.make(shiftDocument("open-shift"));
  }

  /** Orders faults, whose commands are counted from now. */
  strike(...specs: string[]): this {
    for (const spec of specs) this.trial.bench.front.addFault(faultOf(spec));
    return this;
  }

  async examined({
    protocol = "1.0",
    passwords = { operator: 1, system: 30 },
    print = "paper",
    cutAfter = {},
  }: ExaminationOptions = {}): Promise<Examined> {
    const { clock, bench } = this.trial;
    const cable = new Cable(bench.port.link());
    cable.reset(cutAfter);
    const { link, note, traffic } = watched(cable, () => {});
    const connection = new Connection({ link, clock, passwords, protocol, acknowledgeMs: 3_000, note });
    const services = { clock, chance: sameChance, dataDir: "", zone: ZONE, zoneKnown: true, note };
    const device = { address: "shtrih-m+tcp://device", connection, traffic, print };
    const examined = await this.trial.settled(examine(device, services, deadlineIn(clock, LIMIT_MS)));
    await connection.close();
    this.sent = cable.sent;
    return examined;
  }

  async examination(options: ExaminationOptions = {}): Promise<Examination> {
    const examined = await this.examined(options);
    if (examined.kind !== "examined") throw new Error(JSON.stringify(examined));
    return examined.examination;
  }

  /** The findings, except those of every test device, such as the setting of the rate of 22 %. */
  async findings(options: ExaminationOptions = {}): Promise<Finding[]> {
    return (await this.examination(options)).findings.filter(({ about }) => about !== "drive-debug" && about !== "rates");
  }

  /** The findings in short form: `stops-now paper`. */
  async found(options: ExaminationOptions = {}): Promise<string[]> {
    return (await this.findings(options)).map(({ weight, about }) => `${weight} ${about}`);
  }
}

const LIMIT_MS = 180_000;

function faultOf(spec: string): Fault {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  return parsed.fault;
}
