import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemChance, systemClock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { TillContext } from "../sandbox/bodies.ts";
import type { Installation, Solution } from "../sandbox/installation.ts";
import { PLATFORM_NAMES } from "../sandbox/names.ts";
import { SeededRandom } from "../sandbox/random.ts";
import { CASHIER } from "../sandbox/shop.ts";
import { makeSigningKey } from "../sandbox/signing-key.ts";
import { VendorSide } from "../sandbox/vendor-side.ts";
import type { Command, CommandIo } from "./command.ts";
import { furtherSteps } from "./demo/further-steps.ts";
import { KillPlan } from "./demo/kill-plan.ts";
import { Ledger } from "./demo/ledger.ts";
import { type DemoOptions, readDemoOptions } from "./demo/options.ts";
import { type Cast, playSteps } from "./demo/play.ts";
import { ReceiptFolder } from "./demo/receipt-folder.ts";
import { progressLine, table } from "./demo/report.ts";
import { ServerProcess } from "./demo/server-process.ts";
import { Stage } from "./demo/stage.ts";
import { demoSteps } from "./demo/steps.ts";

const USAGE = `Usage: npm run demo -- [options]

Starts the server with an emulated register and plays a shift of a shop through it, as the platform
would. Every receipt is written to demo-receipts/. Ends with 0 when every answer was right, else with 1.

  --data DIR   data folder of the server (default: a fresh temporary one)
  --kill N     kill the server with -9 at a random moment N times, start it again, repeat the request
  --keep       leave the server running at the end and print the address of its page
  --seed N     play the same deaths and goods again
  --help       this text
`;

/** The development set of interface 2. */
const SOLUTION: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};

/** With more deaths than this the day gets longer, so that most of them strike an operation that is new. */
const KILLS_OF_A_SHORT_DAY = 8;

export const demoCommand: Command = {
  name: "demo",
  summary: "play a whole shift against a fresh server on the emulator",
  usage: USAGE,
  run: (args, io) => runDemo(readDemoOptions(args, systemChance.bytes(4).readUInt32LE()), io),
};

async function runDemo(options: DemoOptions, io: CommandIo): Promise<number> {
  const platform = new VendorSide(SOLUTION, systemClock);
  await platform.open();
  const server = new ServerProcess({
    dataDir: options.data ?? mkdtempSync(join(tmpdir(), "fiscal-demo-")),
    environment: { HOST: "127.0.0.1", PORT: "0", PLATFORM_BASE_URL: platform.base },
    clock: systemClock,
    detached: options.keep,
  });
  const stage = new Stage(server, systemClock, (text) => io.out(`      ${text}`));
  const interrupt = () => void server.kill();
  io.signal.addEventListener("abort", interrupt);
  try {
    await server.start();
    io.out(`server process ${server.pid} at ${server.base}, folder ${server.dataDir}, seed ${options.seed}`);
    await perform(options, io, platform, stage);
    await leave(options, io, server);
    return 0;
  } catch (error) {
    await server.kill();
    io.err(`demo failed: ${messageOf(error)}`);
    for (const line of server.tail()) io.err(`  | ${line}`);
    io.err(`seed ${options.seed}, folder ${server.dataDir}`);
    return 1;
  } finally {
    io.signal.removeEventListener("abort", interrupt);
    stage.close();
    await platform.close();
  }
}

async function perform({ seed, kills }: DemoOptions, io: CommandIo, platform: VendorSide, stage: Stage): Promise<void> {
  const random = new SeededRandom(seed);
  const source = { till: tillOf(platform), clock: systemClock, chance: systemChance, random };
  const steps = demoSteps(source, furtherSteps(source, Math.max(0, kills - KILLS_OF_A_SHORT_DAY)));
  const ledger = new Ledger();
  const receipts = new ReceiptFolder(resolve("demo-receipts"));
  const cast: Cast = {
    solution: SOLUTION,
    installation: newInstallation(),
    platform,
    stage,
    ledger,
    receipts,
    plan: new KillPlan(random, kills, steps.length),
    clock: systemClock,
    chance: systemChance,
  };
  const rows = await playSteps(steps, cast, (row) => io.out(progressLine(row)));

  io.out("");
  for (const line of table(rows)) io.out(line);
  io.out("");
  io.out(`${receipts.count} receipts in ${receipts.path}`);
  io.out(`nothing lost, nothing doubled: ${ledger.summary}${stage.kills > 0 ? `, ${stage.kills} kills` : ""}`);
}

async function leave(options: DemoOptions, io: CommandIo, server: ServerProcess): Promise<void> {
  if (!options.keep) return server.stop();
  server.release();
  io.out(`the server goes on as process ${server.pid}: ${server.base}/docs`);
}

/** Ids are new in each run, so that a folder can be used again: only the seed's choices repeat. */
function tillOf(platform: VendorSide): TillContext {
  return {
    api: `${platform.base}/api/remap/1.2`,
    storeId: systemChance.uuid(),
    shiftId: systemChance.uuid(),
    shiftName: "00001",
    cashierId: systemChance.uuid(),
    cashier: CASHIER,
  };
}

function newInstallation(): Installation {
  return {
    accountId: systemChance.uuid(),
    accountName: "produkty-na-uglu",
    registrationId: systemChance.uuid(),
    key: makeSigningKey(),
  };
}
