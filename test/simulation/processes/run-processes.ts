import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { messageOf } from "../../../src/kernel/failure.ts";
import { ServerProcess } from "../../../src/tools/demo/processes/server-process.ts";
import { WriteCounter } from "../../../src/tools/demo/write-counter.ts";
import { activation, sendVendorCall } from "../../../src/tools/sandbox/caller/installation.ts";
import { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { recordsOf } from "../../support/drive-and-journal.ts";
import { type Agreement, compare } from "./agreement.ts";
import { documentsAnswer, stateAnswer } from "./control-answers.ts";
import { DeviceProgram } from "./device-program.ts";
import { BrokenPromise } from "./document.ts";
import { journalled } from "./journalled.ts";
import { type MortalProgram, Progress, Reaper } from "./reaper.ts";
import { Shop, SOLUTION } from "./shop.ts";
import { Till } from "./till.ts";

const TILLS = 3;
const OPERATIONS_A_SHIFT = 40;
/** The number of operations for each death, of the server and of the device. */
const OPERATIONS_A_DEATH = { server: 7, device: 8 };

export interface ProcessRun {
  operations: number;
  seed: number;
  kills: { server: number; device: number };
  agreement: Agreement;
  elapsedMs: number;
  /** The promise that was broken. Undefined: all were kept. */
  broken?: string;
}

/**
 * Runs the real server and the real device emulator as two processes over TCP. Each is killed with -9 at moments of the
 * seed's choice, while several tills work, repeat and change their requests. Afterwards, in calm, the drive, the
 * journal and the answers are compared. Documents and deaths come from the seed, but their timing depends on the
 * machine.
 */
export async function runProcesses({ operations, seed }: { operations: number; seed: number }): Promise<ProcessRun> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-processes-"));
  const startedMs = systemClock.monotonicMs();
  const play = new Play(folder, seed);
  try {
    await play.begin();
    await play.storm(operations);
    const agreement = await play.settle();
    return { operations, seed, kills: play.kills, agreement, elapsedMs: systemClock.monotonicMs() - startedMs };
  } catch (error) {
    const agreement = { lost: [], doubled: [], differing: [], doubts: 0, settledByItself: 0, foundRegistered: 0 };
    const broken = error instanceof BrokenPromise ? error.message : `${messageOf(error)}\n${play.tail().join("\n")}`;
    return { operations, seed, kills: play.kills, agreement, elapsedMs: systemClock.monotonicMs() - startedMs, broken };
  } finally {
    await play.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least number of operations. Fewer leave no room for a shift and a death. */
const FEWEST_OPERATIONS = 10;

/** `npm run simulate -- --processes N --seed S`. Prints what was broken, then one line of counts. Returns the exit code. */
export async function playProcesses(operations: number, seed: number): Promise<number> {
  if (!Number.isInteger(operations) || operations < FEWEST_OPERATIONS || !Number.isInteger(seed)) {
    process.stderr.write(`--processes expects a whole number of operations, at least ${FEWEST_OPERATIONS}, and --seed a whole number\n`);
    return 2;
  }
  const { ok, lines } = reportOf(await runProcesses({ operations, seed }));
  for (const line of lines) process.stdout.write(`${line}\n`);
  return ok ? 0 : 1;
}

/** The problems of a run, and one line with its counts. */
export function reportOf({ operations, seed, kills, agreement, elapsedMs, broken }: ProcessRun): { ok: boolean; lines: string[] } {
  const { lost, doubled, differing, doubts, settledByItself, foundRegistered } = agreement;
  const problems = [...(broken === undefined ? [] : [broken]), ...lost, ...doubled, ...differing];
  const counts = [
    `${operations} operations`,
    `kills: ${kills.server} of the server, ${kills.device} of the device`,
    `doubts ${doubts}, settled by itself ${settledByItself} (${foundRegistered} had been registered)`,
    `lost ${lost.length}, doubled ${doubled.length}, differing ${differing.length}`,
    `${(elapsedMs / 1_000).toFixed(0)} s, seed ${seed}`,
  ];
  return { ok: problems.length === 0, lines: [...problems.map((problem) => `seed ${seed}: ${problem}`), counts.join("; ")] };
}

class Play {
  readonly #folder: string;
  readonly #random: SeededRandom;
  readonly #shop: Shop;
  readonly #device: DeviceProgram;
  readonly #progress = new Progress();
  readonly #over = new AbortController();
  #server: ServerProcess | undefined;
  #tills: [Till, ...Till[]] | undefined;
  #reapers: { server: Reaper; device: Reaper } | undefined;
  readonly #counters: WriteCounter[] = [];

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#random = new SeededRandom(seed);
    this.#shop = new Shop(this.#random);
    this.#device = new DeviceProgram(join(folder, "device"));
  }

  get kills(): { server: number; device: number } {
    return { server: this.#reapers?.server.kills ?? 0, device: this.#reapers?.device.kills ?? 0 };
  }

  /** Starts both programs, installs the solution and makes the tills. */
  async begin(): Promise<void> {
    await this.#device.start();
    const server = new ServerProcess({
      dataDir: join(this.#folder, "server"),
      environment: {
        HOST: "127.0.0.1",
        PORT: "0",
        DEFAULT_REGISTER: this.#device.address,
        // Nobody listens at this port. The run needs only the answers to the platform's calls.
        PLATFORM_BASE_URL: "http://127.0.0.1:9",
      },
      clock: systemClock,
      detached: false,
    });
    this.#server = server;
    await server.start();
    const resource = "http://127.0.0.1:9/api/remap/1.2";
    const install = activation(SOLUTION, this.#shop.installation, "Install", { clock: systemClock, chance: systemChance, resource });
    const installed = await sendVendorCall(server.base, install, systemClock);
    if (installed.kind !== "answer" || installed.status !== 200)
      throw new BrokenPromise(`the installation ended as ${JSON.stringify(installed)}`);
    const parts = { shop: this.#shop, server, progress: this.#progress, signal: this.#over.signal };
    const newTill = () => new Till({ ...parts, random: this.#ownRandom() });
    this.#tills = [newTill(), ...Array.from({ length: TILLS - 1 }, newTill)];
    this.#reapers = { server: this.#reaper(server), device: this.#reaper(this.#device) };
  }

  /** Lets the tills work while the programs die. Only the first till opens and closes the shifts. */
  async storm(operations: number): Promise<void> {
    const { tills, reapers } = this.#cast();
    const [senior, ...others] = tills;
    const shifts = Math.max(1, Math.round(operations / OPERATIONS_A_SHIFT));
    const ofOthers = Math.floor((operations - 2 * shifts) / TILLS);
    const ofSenior = operations - 2 * shifts - ofOthers * others.length;
    const signal = this.#over.signal;
    const deaths = (each: number) => Math.max(2, Math.round(operations / each));
    const opened = Promise.withResolvers<void>();
    const trade = async () => {
      for (let shift = 1; shift <= shifts; shift += 1) {
        if (shift > 1) await senior.closeShift();
        await senior.openShift();
        opened.resolve();
        await senior.work(Math.floor((ofSenior * shift) / shifts) - Math.floor((ofSenior * (shift - 1)) / shifts));
      }
    };
    const all = [
      trade(),
      ...others.map((till) => opened.promise.then(() => till.work(ofOthers))),
      reapers.server.strike(deaths(OPERATIONS_A_DEATH.server), operations - 1, signal),
      reapers.device.strike(deaths(OPERATIONS_A_DEATH.device), operations - 1, signal),
    ];
    await this.#allOrNone(all, opened.resolve);
  }

  /** In calm: repeats every document until it has its answer, closes the shift, and compares the drive, the journal and the answers. */
  async settle(): Promise<Agreement> {
    const { tills, server } = this.#cast();
    for (const till of tills) await till.finish();
    await tills[0].closeShift();
    await server.stop();
    const told = documentsAnswer.parse((await this.#device.control.order({ do: "documents" })).documents);
    const state = stateAnswer.parse((await this.#device.control.order({ do: "state" })).state);
    await this.#device.kill();
    const documents = tills.flatMap((till) => till.documents);
    const records = recordsOf(join(this.#device.driveFolder, "drive.records"));
    return compare({
      told,
      state,
      records,
      documents,
      ...(await journalled({ kind: "sqlite", file: join(server.dataDir, "fiscal.sqlite") })),
    });
  }

  tail(): string[] {
    return [...(this.#server?.tail() ?? []), ...this.#device.tail()];
  }

  async end(): Promise<void> {
    for (const counter of this.#counters) counter.close();
    await Promise.all([this.#server?.kill(), this.#device.kill()]);
  }

  /** Waits until all works have ended, and rejects when one has failed. A failure stops the other works. */
  async #allOrNone(works: Promise<void>[], free: () => void): Promise<void> {
    const stop = (error: unknown) => {
      this.#over.abort();
      this.#progress.close();
      free();
      throw error;
    };
    const ended = await Promise.allSettled(works.map((work) => work.catch(stop)));
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }

  /** Each reaper has counters of its own, because a counter has one listener. */
  #reaper(program: MortalProgram): Reaper {
    const folders = [join(this.#folder, "server"), this.#device.driveFolder];
    const writes = folders.map((folder) => new WriteCounter(folder));
    this.#counters.push(...writes);
    return new Reaper({ program, writes, progress: this.#progress, random: this.#ownRandom(), clock: systemClock });
  }

  /** Each till and reaper gets a random source of its own, because the machine decides in which order they draw. */
  #ownRandom(): SeededRandom {
    return new SeededRandom(this.#random.below(2 ** 32));
  }

  #cast() {
    if (this.#tills === undefined || this.#reapers === undefined || this.#server === undefined) throw new Error("the play has not begun");
    return { tills: this.#tills, reapers: this.#reapers, server: this.#server };
  }
}
