import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { type Call, send } from "../../src/tools/sandbox/caller/call.ts";
import { readFiscalAnswer } from "../../src/tools/sandbox/caller/fiscal-answer.ts";
import { activation, sendVendorCall } from "../../src/tools/sandbox/caller/installation.ts";
import { SeededRandom } from "../../src/tools/seeded-random.ts";
import { documentsAnswer } from "../simulation/processes/control-answers.ts";
import { DeviceProgram } from "../simulation/processes/device-program.ts";
import { type Draft, Shop, SOLUTION, saleDraft, shiftDraft } from "../simulation/processes/shop.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { runCommand } from "../support/end-to-end-command.ts";
import { newPostgresDatabase } from "../support/new-database.ts";
import { administer } from "../support/postgres-admin.ts";
import { postgresTool } from "../support/postgres-tool.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";

/** The server starts several times, on a machine that runs other tests at the same time. */
const DRILL_LIMIT_MS = 600_000;
const SALES = 5;
const SALES_AFTER_THE_COPY = 3;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("the drill of restoring a dump", kind, () => {
    it("a dump made beside the running server is restored, is whole, and sells on; an older one is first brought up to the drive", {
      timeout: DRILL_LIMIT_MS,
    }, async () => {
      const drill = await Drill.begin();
      const first = await drill.serve(await newPostgresDatabase());
      await drill.openShift(first);
      for (let sold = 0; sold < SALES; sold += 1) await drill.sell(first);
      const older = drill.dump(first, "older");
      for (let sold = 0; sold < SALES_AFTER_THE_COPY; sold += 1) await drill.sell(first);
      await first.server.stop();
      const newest = drill.dump(first, "newest");

      // The newest dump replaces the database. It is consistent, answers as before, and the next sale gets the next number.
      const restored = await drill.serve(await drill.restoreInPlace(newest, first.url), 1 + SALES + SALES_AFTER_THE_COPY);
      for (const { call, body } of drill.answered) expect((await drill.answer(restored, call)).equals(body)).toBe(true);
      // One document more: the opening of the shift.
      expect(await drill.numbers()).toHaveLength(1 + drill.answered.length);
      await drill.sell(restored);
      await restored.server.stop();
      await drill.verify(restored.url, 2 + SALES + SALES_AFTER_THE_COPY);

      // With the older dump, the drive knows four sales more. Their repeats get the numbers in the drive, and nothing is made
      // twice.
      const missing = drill.answered.slice(-SALES_AFTER_THE_COPY - 1);
      const behind = await drill.serve(await drill.restore(older), 1 + SALES);
      const before = await drill.numbers();
      for (const { call, number } of missing) expect(drill.numberIn(await drill.answer(behind, call))).toBe(number);
      expect(await drill.numbers()).toEqual(before);
      await drill.sell(behind);
      expect(await drill.numbers()).toEqual([...before, Math.max(...before) + 1]);
      await behind.server.stop();
      await drill.verify(behind.url, 3 + SALES + SALES_AFTER_THE_COPY);
    });

    it("an older dump sells nothing new before the drive was read: the next sale follows what the drive has", {
      timeout: DRILL_LIMIT_MS,
    }, async () => {
      const drill = await Drill.begin();
      const first = await drill.serve(await newPostgresDatabase());
      await drill.openShift(first);
      await drill.sell(first);
      const older = drill.dump(first, "older");
      await drill.sell(first);
      await first.server.stop();
      const behind = await drill.serve(await drill.restore(older), 2);
      const before = await drill.numbers();
      await drill.sell(behind);
      expect(await drill.numbers()).toEqual([...before, Math.max(...before) + 1]);
      expect(behind.server.tail().join("\n")).not.toContain('"level":60');
      await behind.server.stop();
      await drill.verify(behind.url, 3);
    });
  });

interface Serving {
  server: ServerProcess;
  url: string;
}

/** A shop whose device outlives the databases. */
class Drill {
  readonly answered: { call: Call; body: Buffer; number: number }[] = [];
  readonly #folder = temporaryFolder();
  readonly #random = new SeededRandom(22);
  readonly #shop = new Shop(this.#random);
  readonly #device = new DeviceProgram(join(this.#folder, "device"));
  #installed = false;

  static async begin(): Promise<Drill> {
    const drill = new Drill();
    onTestFinished(() => drill.#device.kill());
    await drill.#device.start();
    return drill;
  }

  /** Starts a server with the database. `entries`: the number of entries that the journal must have before anything is sent. */
  async serve(url: string, entries?: number): Promise<Serving> {
    if (entries !== undefined) await this.verify(url, entries);
    const server = serverProcess(join(this.#folder, "server"), {
      DATABASE_URL: url,
      DEFAULT_REGISTER: this.#device.address,
      // Nobody listens at this port. The test needs only the answers to the platform's calls.
      PLATFORM_BASE_URL: "http://127.0.0.1:9",
    });
    await server.start();
    if (!this.#installed) await this.#install(server);
    this.#installed = true;
    return { server, url };
  }

  dump({ url }: Serving, name: string): string {
    const file = join(this.#folder, `${name}.dump`);
    postgresTool("pg_dump", "--format", "custom", "--file", file, "--dbname", url);
    return file;
  }

  async restore(file: string): Promise<string> {
    return this.#restoreInto(await newPostgresDatabase(), file);
  }

  /** Restores as README.md says: the database is dropped, made anew under its name, and filled. */
  async restoreInPlace(file: string, url: string): Promise<string> {
    const name = new URL(url).pathname.slice(1);
    await administer(`drop database ${name}`);
    await administer(`create database ${name}`);
    return this.#restoreInto(url, file);
  }

  #restoreInto(url: string, file: string): string {
    postgresTool("pg_restore", "--exit-on-error", "--no-owner", "--dbname", url, file);
    return url;
  }

  /** Checks the journal as a person does. */
  async verify(url: string, entries: number): Promise<void> {
    writeFileSync(join(this.#folder, ".env"), `DATABASE_URL=${url}\nDATA_DIR=${join(this.#folder, "server")}\n`);
    const { exitCode, out, err } = await runCommand(["journal", "verify"], this.#folder);
    expect({ exitCode, out, err }).toEqual({
      exitCode: 0,
      out: expect.stringMatching(`^${entries} entries, .*: everything agrees\\n$`),
      err: "",
    });
  }

  async openShift(serving: Serving): Promise<void> {
    this.#shop.takeNewShift();
    await this.#make(serving, shiftDraft("open", this.#shop.till));
  }

  sell(serving: Serving): Promise<void> {
    return this.#make(serving, saleDraft(this.#random).draft);
  }

  async answer({ server }: Serving, call: Call): Promise<Buffer> {
    const exchange = await send(server.base, call, systemClock);
    if (exchange.kind !== "answer" || exchange.status !== 200)
      throw new Error(
        `answered ${exchange.kind === "answer" ? `${exchange.status} ${exchange.body}` : exchange.reason}\n${server.tail().join("\n")}`,
      );
    return exchange.body;
  }

  numberIn(body: Buffer): number {
    const read = readFiscalAnswer("retaildemand", body);
    if (read.kind === "wrong") throw new Error(read.problem);
    return Number(read.answer.fiscalDocNumber);
  }

  /** The numbers of the documents in the drive. */
  async numbers(): Promise<number[]> {
    const documents = documentsAnswer.parse((await this.#device.control.order({ do: "documents" })).documents);
    const own = documents.filter(({ reference }) => reference !== undefined);
    return own.map(({ documentNumber }) => documentNumber);
  }

  async #make(serving: Serving, draft: Draft): Promise<void> {
    const { call } = this.#shop.versionOf(draft, 0);
    const body = await this.answer(serving, call);
    if (draft.operation === "retaildemand") this.answered.push({ call, body, number: this.numberIn(body) });
  }

  async #install(server: ServerProcess): Promise<void> {
    const resource = "http://127.0.0.1:9/api/remap/1.2";
    const install = activation(SOLUTION, this.#shop.installation, "Install", { clock: systemClock, chance: systemChance, resource });
    const installed = await sendVendorCall(server.base, install, systemClock);
    expect(installed).toMatchObject({ kind: "answer", status: 200 });
  }
}
