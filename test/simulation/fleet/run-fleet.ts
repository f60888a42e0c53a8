import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "kysely";
import { pause, systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { messageOf } from "../../../src/kernel/failure.ts";
import { openStore, type StoreOptions } from "../../../src/store/database.ts";
import { activation, sendVendorCall } from "../../../src/tools/sandbox/caller/installation.ts";
import { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { DATABASE_KINDS, type TestDatabase } from "../../support/databases.ts";
import type { Agreement } from "../processes/agreement.ts";
import { BrokenPromise } from "../processes/document.ts";
import { SOLUTION } from "../processes/shop.ts";
import { AgreeablePlatform } from "./agreeable-platform.ts";
import { HeardAnswers } from "./answers.ts";
import { Counter } from "./counter.ts";
import { DatabasePair } from "./database-pair.ts";
import { Member } from "./member.ts";
import { ReverseProxy } from "./reverse-proxy.ts";
import { Striker } from "./striker.ts";

const MEMBERS = 2;
const SHOPS = 3;
/** The longest time from the loss of the primary to the promotion of its standby. */
const LONGEST_WITHOUT_DATABASE_MS = 10_000;
const CLI = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));

export interface FleetChoice {
  minutes: number;
  seed: number;
  /** The main programs of the versions that follow each other at updates. The last one stays. Empty: only this version. */
  versions: readonly string[];
  /** Whether the database has a synchronous standby, which takes its place in the middle of the run. */
  standby?: boolean;
}

export interface FleetRun {
  elapsedMs: number;
  documents: number;
  strikes: ReadonlyMap<string, number>;
  endedByThemselves: number;
  answers: string;
  agreement: Agreement;
  /** The output of `journal verify`, when it found something. */
  verified?: string;
  /** The promise that was broken. Undefined: all were kept. */
  broken?: string;
}

/**
 * Runs real servers on one PostgreSQL behind HAProxy, each with a line of its own to the database. They sell to several shops with
 * one register each, while each server is killed, paused, cut off and updated. Afterwards, in calm, the drives, the journal and the
 * tills' answers are compared.
 */
export async function runFleet(choice: FleetChoice): Promise<FleetRun> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-fleet-"));
  const startedMs = systemClock.monotonicMs();
  const play = new Play(folder, choice);
  let agreement: Agreement = { lost: [], doubled: [], differing: [], doubts: 0, settledByItself: 0, foundRegistered: 0 };
  let broken: string | undefined;
  try {
    await play.begin();
    await play.storm();
    agreement = await play.settle();
  } catch (error) {
    broken = error instanceof BrokenPromise ? error.message : `${messageOf(error)}\n${play.tail().join("\n")}`;
  }
  const run = { ...play.counts, agreement, elapsedMs: systemClock.monotonicMs() - startedMs };
  await play.end();
  if (broken === undefined) rmSync(folder, { recursive: true, force: true });
  return { ...run, ...(broken === undefined ? {} : { broken: `${broken}\nthe logs stay in ${folder}` }) };
}

/** The problems of a run, and one line with its counts. */
export function reportOf(run: FleetRun, seed: number): { ok: boolean; lines: string[] } {
  const { lost, doubled, differing, doubts, settledByItself, foundRegistered } = run.agreement;
  const problems = [run.broken, run.verified].filter((one) => one !== undefined);
  problems.push(...lost, ...doubled, ...differing);
  const strikes = [...run.strikes].map(([name, count]) => `${name} ${count}`);
  return {
    ok: problems.length === 0,
    lines: [
      ...problems.map((problem) => `seed ${seed}: ${problem}`),
      `${(run.elapsedMs / 60_000).toFixed(1)} min, ${run.documents} documents of ${SHOPS} shops by ${MEMBERS} servers, seed ${seed}`,
      `strikes: ${strikes.join(", ")}; ended by themselves ${run.endedByThemselves}`,
      `answers: ${run.answers}`,
      `doubts ${doubts}, settled by themselves ${settledByItself} (${foundRegistered} had been registered); lost ${lost.length}, doubled ${doubled.length}, differing ${differing.length}`,
    ],
  };
}

class Play {
  readonly #folder: string;
  readonly #choice: FleetChoice;
  readonly #random: SeededRandom;
  readonly #answers = new HeardAnswers();
  readonly #platform = new AgreeablePlatform();
  #database: FleetDatabase | undefined;
  #members: Member[] = [];
  #counters: Counter[] = [];
  #proxy: ReverseProxy | undefined;
  #striker: Striker | undefined;
  #verified: string | undefined;

  constructor(folder: string, choice: FleetChoice) {
    this.#folder = folder;
    this.#choice = choice;
    this.#random = new SeededRandom(choice.seed);
  }

  get counts() {
    return {
      documents: this.#counters.reduce((sum, { documents }) => sum + documents, 0),
      strikes: this.#striker?.counts ?? new Map<string, number>(),
      endedByThemselves: this.#members.reduce((sum, { endedByItself }) => sum + endedByItself, 0),
      answers: this.#answers.toString(),
      ...(this.#verified === undefined ? {} : { verified: this.#verified }),
    };
  }

  /** Starts servers and devices, installs the solution for each shop and sets its register. */
  async begin(): Promise<void> {
    const { versions, seed, standby = false } = this.#choice;
    const database = standby ? await DatabasePair.start() : await soleDatabase();
    this.#database = database;
    await makeSchema(database.options);
    await this.#platform.open();
    const platformUrl = this.#platform.base;
    const databaseUrl = () => addressOf(database.options).databaseUrl;
    this.#members = Array.from(
      { length: MEMBERS },
      (_, index) => new Member({ folder: this.#room(`server-${index}`), databaseUrl, platformUrl, versions }),
    );
    this.#counters = Array.from({ length: SHOPS }, (_, index) => new Counter(this.#room(`shop-${index}`), seed * SHOPS + index));
    for (const member of this.#members) await member.open();
    await Promise.all(this.#counters.map((counter) => counter.startDevice()));
    this.#proxy = new ReverseProxy(this.#folder, this.#members);
    await this.#proxy.start();
    const resource = `${platformUrl}/api/remap/1.2`;
    for (const { shop, address } of this.#counters) {
      const install = activation(SOLUTION, shop.installation, "Install", { clock: systemClock, chance: systemChance, resource });
      const installed = await sendVendorCall(this.#proxy.base, install, systemClock);
      if (installed.kind !== "answer" || installed.status !== 200) throw new BrokenPromise(`not installed: ${JSON.stringify(installed)}`);
      await this.#command("settings", "set", shop.installation.accountId, "*", `register=${address}`);
    }
  }

  async storm(): Promise<void> {
    const { minutes } = this.#choice;
    const untilMs = systemClock.monotonicMs() + minutes * 60_000;
    const [over, failed] = [new AbortController(), new AbortController()];
    const place = { alive: true, base: this.#proxy?.base ?? "", heard: this.#answers.note.bind(this.#answers) };
    this.#striker = new Striker({ members: this.#members, devices: this.#counters.map(({ line }) => line), random: this.#random });
    const strikes = this.#striker.work(untilMs, failed.signal).finally(() => over.abort());
    const lost = this.#loseDatabase((minutes * 60_000) / 2, over.signal);
    const all = [strikes, lost, ...this.#counters.map((counter) => counter.trade(place, over.signal, failed.signal))];
    const stop = (error: unknown) => {
      failed.abort();
      throw error;
    };
    // When one of these promises rejects, `failed` ends the work of the others. The comparison begins after all have ended.
    const ended = await Promise.allSettled(all.map((one) => one.catch(stop)));
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }

  /** Loses the primary after this time, and promotes its standby a while later. Does nothing without a standby. */
  async #loseDatabase(afterMs: number, over: AbortSignal): Promise<void> {
    const pair = this.#database;
    if (!(pair instanceof DatabasePair)) return;
    await pause(systemClock, afterMs);
    if (over.aborted) return;
    this.#striker?.count("primary lost");
    await pair.losePrimary();
    await pause(systemClock, this.#random.fraction() * LONGEST_WITHOUT_DATABASE_MS);
    await pair.promote();
    for (const member of this.#members) member.followDatabase();
  }

  async settle(): Promise<Agreement> {
    await Promise.all(this.#counters.map((counter) => counter.finish()));
    for (const member of this.#members) await member.stop();
    try {
      await this.#command("journal", "verify");
    } catch (error) {
      this.#verified = `journal verify: ${messageOf(error)}`;
    }
    const options = this.#database?.options;
    if (options === undefined) throw new Error("the play has not begun");
    const each: Agreement[] = [];
    for (const counter of this.#counters) each.push(await counter.compare(options));
    return {
      lost: each.flatMap(({ lost }) => lost),
      doubled: each.flatMap(({ doubled }) => doubled),
      differing: each.flatMap(({ differing }) => differing),
      doubts: each.reduce((sum, { doubts }) => sum + doubts, 0),
      settledByItself: each.reduce((sum, { settledByItself }) => sum + settledByItself, 0),
      foundRegistered: each.reduce((sum, { foundRegistered }) => sum + foundRegistered, 0),
    };
  }

  tail(): string[] {
    return [...this.#members, ...this.#counters].flatMap((one) => one.tail());
  }

  async end(): Promise<void> {
    this.#proxy?.stop();
    this.#platform.close();
    await Promise.all([...this.#members, ...this.#counters].map((one) => one.end()));
    await this.#database?.drop();
  }

  /** Runs a command of the command line beside the running servers. Rejects with the command's output when it fails. */
  async #command(...args: string[]): Promise<void> {
    const env = this.#members[0]?.commandEnvironment;
    await promisify(execFile)(process.execPath, [CLI, ...args], { env, cwd: this.#folder });
  }

  #room(name: string): string {
    const room = join(this.#folder, name);
    mkdirSync(room);
    return room;
  }
}

type FleetDatabase = Pick<TestDatabase, "options" | "drop">;

/** A new schema in the database of the tests. */
async function soleDatabase(): Promise<FleetDatabase> {
  const postgres = DATABASE_KINDS.find(({ kind }) => kind === "postgres");
  if (postgres === undefined || postgres.missing !== undefined) throw new Error(`PostgreSQL is needed: ${postgres?.missing}`);
  return postgres.make();
}

async function makeSchema(options: StoreOptions): Promise<void> {
  const store = await openStore(options);
  await sql`create schema if not exists ${sql.id(addressOf(options).schema)}`.execute(store.db);
  await store.close();
}

/** The schema, and the database's address with the schema in it, as a server takes it. */
function addressOf(options: StoreOptions): { databaseUrl: string; schema: string } {
  if (options.kind !== "postgres" || options.schema === undefined) throw new Error("the database has no schema");
  const url = new URL(options.url);
  url.searchParams.set("options", `-c search_path=${options.schema}`);
  return { databaseUrl: url.href.replaceAll("+", "%20"), schema: options.schema };
}
