import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { type Clock, systemChance } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Installation, Solution } from "../sandbox/caller/installation.ts";
import { makeQrKey, type QrKey } from "../sandbox/caller/qr-key.ts";
import { KEYS_PATH } from "../sandbox/caller/qr-key-address.ts";
import { CASHIER } from "../sandbox/caller/shop.ts";
import { makeSigningKey } from "../sandbox/caller/signing-key.ts";
import { refuse } from "../sandbox/caller/vendor-desk.ts";
import { VendorSide } from "../sandbox/caller/vendor-side.ts";
import { SeededRandom } from "../seeded-random.ts";
import type { Cast } from "./cast.ts";
import { dayAddresses } from "./day-addresses.ts";
import { furtherSteps } from "./further-steps.ts";
import { KillPlan } from "./kill-plan.ts";
import { Ledger } from "./ledger.ts";
import { loyaltySteps } from "./loyalty/steps.ts";
import { LoyaltyConnection } from "./loyalty-connection.ts";
import { playSteps } from "./play.ts";
import { AgentProcess } from "./processes/agent-process.ts";
import { type BankName, BankProcess } from "./processes/bank-process.ts";
import { DeviceProcess } from "./processes/device-process.ts";
import { freePort } from "./processes/free-port.ts";
import { PlatformProcess } from "./processes/platform-process.ts";
import { ServerProcess } from "./processes/server-process.ts";
import { Servers } from "./processes/servers.ts";
import { qrSteps } from "./qr/steps.ts";
import { ReceiptFolder } from "./receipt-folder.ts";
import { RegisterCare } from "./register-care.ts";
import { tableHead, tableRow } from "./report.ts";
import { RunFolder } from "./run-folder.ts";
import { changeSetting } from "./settings-command.ts";
import { Stage } from "./stage.ts";
import { demoSteps } from "./steps.ts";

export interface DemoOptions {
  /** The folder of the run. One server has its data there, several servers in subfolders. Absent: a new temporary folder. */
  data?: string;
  register: RegisterChoice;
  /** `fiscal`: a day without QR payments and loyalty programme. */
  only?: "fiscal";
  /** The simulated acquirer needs no bank. For any other acquirer the demo starts a fake bank. */
  acquirer: "simulated" | BankName;
  agent: boolean;
  kills: number;
  /** Several servers on this PostgreSQL database. Absent: one server with its own database. */
  several?: { processes: number; databaseUrl: string };
  keep: boolean;
  seed: number;
}

export type RegisterChoice =
  /** An emulator inside the server's process, or inside the agent's process if there is an agent. */
  | { kind: "emulator" }
  /**
   * A device at the end of a line. The demo starts the device, with faults as on the emulator's command line. `assumed`: the device was
   * chosen only because faults were given.
   */
  | { kind: "device"; line: "tcp" | "serial"; faults: string[]; assumed?: true }
  | { kind: "found"; address: string };

/** The clock of the whole demo. `aheadMs`: how far this clock is ahead of the system's clock, for the programs that the demo starts. */
interface DemoTime {
  clock: Clock;
  aheadMs: number;
}

interface Audience {
  out(text: string): void;
  err(text: string): void;
  readonly signal: AbortSignal;
}

/** With more kills than this the day gets more operations, so that most operations suffer at most one kill. */
const KILLS_OF_A_SHORT_DAY = 8;

/**
 * Starts the server and the programs in the options (a device, a bank, an agent), and plays the day. Returns 0 when every answer was right.
 * Also returns 0, and starts nothing, when a needed tool is missing. Returns 1 when the day failed or was interrupted. Throws when the
 * folder of the run or the platform's port is unusable. Removes a temporary folder at the end, unless the server keeps running in it.
 */
export async function playDemo(options: DemoOptions, solution: Solution, time: DemoTime, io: Audience): Promise<number> {
  const missing = missingTool(options);
  if (missing !== undefined) {
    io.out(`skipped: ${missing}`);
    return 0;
  }
  const folder = new RunFolder(options.data);
  let players: Players | undefined;
  try {
    if (options.register.kind === "device" && options.register.assumed === true)
      io.out("register: shtrih-m+tcp, since faults strike a device (--register names another)");
    players = await playersOf(options, solution, time, folder.path);
    return await playWith(players, options, folder.path, io);
  } finally {
    if (options.keep && (players?.servers?.running.length ?? 0) > 0) folder.leave();
    else folder.remove();
  }
}

/** Opens the platform. Starts no other program. */
async function playersOf(options: DemoOptions, solution: Solution, time: DemoTime, dataDir: string): Promise<Players> {
  const connection = new LoyaltyConnection();
  const key = await makeQrKey();
  const platform: VendorSide = new VendorSide(
    solution,
    time.clock,
    dayAddresses(
      {
        statusOf: (accountId) => platform.statusOf(accountId),
        keepLoyalty: (_accountId, named) => connection.keep(named),
        byContextKey: () => refuse(404, 1005, "no such context"),
        byUserToken: () => refuse(404, 3007, "the token is unknown"),
      },
      () => platform.base,
    ),
    [key],
  );
  await platform.open(await freePort());
  return {
    ...{ solution, time, platform, key, connection },
    device: deviceOf(options, dataDir, time),
    bank: bankOf(options, dataDir, time),
    agent: undefined,
    servers: undefined,
  };
}

/** Starts the programs and plays the day. Returns the exit code. */
async function playWith(players: Players, options: DemoOptions, dataDir: string, io: Audience): Promise<number> {
  const interrupt = () => void endAtOnce(players);
  io.signal.addEventListener("abort", interrupt);
  try {
    await players.device?.start();
    await players.bank?.start();
    if (io.signal.aborted) throw new Failure("demo", "fault", "it was interrupted");
    players.agent = agentOf(options, dataDir, players);
    const servers = await serversOf(options, dataDir, players);
    players.servers = servers;
    await servers.start();
    for (const server of servers.all)
      io.out(`server process ${server.pid} at ${server.base}, folder ${server.dataDir}, seed ${options.seed}`);
    if (players.device !== undefined) io.out(`device process ${players.device.pid} at ${players.device.address}`);
    if (players.bank !== undefined) io.out(`bank process ${players.bank.pid} at ${players.bank.base}`);
    await perform(options, io, servers, players);
    await leave(options, io, servers, players);
    return 0;
  } catch (error) {
    await endAtOnce(players);
    for (const line of endLines(error, options, io, players)) io.err(line);
    return 1;
  } finally {
    io.signal.removeEventListener("abort", interrupt);
    await players.platform.close();
  }
}

function endLines(error: unknown, { seed, data }: DemoOptions, { signal }: Audience, { device, bank, agent, servers }: Players): string[] {
  if (signal.aborted) return [`demo interrupted, seed ${seed}`];
  const said = [device, bank, agent, servers].flatMap((player) => player?.tail() ?? []).map((line) => `  | ${line}`);
  const left = data === undefined ? "with --data DIR everything is left there" : `everything is left in ${data}`;
  return [`demo failed: ${messageOf(error)}`, ...said, `seed ${seed}, ${left}`];
}

interface Players {
  readonly solution: Solution;
  readonly time: DemoTime;
  platform: VendorSide;
  key: QrKey;
  device: DeviceProcess | undefined;
  bank: BankProcess | undefined;
  agent: AgentProcess | undefined;
  readonly connection: LoyaltyConnection;
  servers: Servers | undefined;
}

function deviceOf({ register, seed, keep }: DemoOptions, dataDir: string, { clock }: DemoTime): DeviceProcess | undefined {
  if (register.kind !== "device") return undefined;
  const { line, faults } = register;
  return new DeviceProcess({ line, faults, dataDir, seed, clock, detached: keep });
}

function bankOf({ only, acquirer, seed, keep }: DemoOptions, dataDir: string, { clock }: DemoTime): BankProcess | undefined {
  if (only === "fiscal" || acquirer === "simulated") return undefined;
  return new BankProcess({ name: acquirer, dataDir, seed, clock, detached: keep });
}

function agentOf({ agent, register, keep }: DemoOptions, dataDir: string, { device, time }: Players): AgentProcess | undefined {
  if (!agent) return undefined;
  const behind = addressOf(register, device) ?? "emulator:demo";
  return new AgentProcess({ dataDir, register: behind, clock: time.clock, detached: keep });
}

/** Undefined: the register is an emulator inside another program. */
function addressOf(register: RegisterChoice, device: DeviceProcess | undefined): string | undefined {
  return register.kind === "found" ? register.address : device?.address;
}

/** Makes one server, or several that share a database and know each other's addresses. */
async function serversOf(options: DemoOptions, dataDir: string, players: Players): Promise<Servers> {
  const { several, keep } = options;
  // An agent connects to the address from its enrolment, so the server keeps its port over restarts. A server that outlives the demo keeps
  // its port too, because a person may enrol an agent at it.
  const own: Record<string, string> = players.agent === undefined && !keep ? {} : { PORT: String(await freePort()) };
  if (several === undefined) return new Servers([serverIn(dataDir, own, options, players)]);
  const made: ServerProcess[] = [];
  for (let number = 1; number <= several.processes; number += 1) {
    const environment = { DATABASE_URL: several.databaseUrl, CLUSTER_URL: `http://127.0.0.1:${await freePort()}` };
    made.push(serverIn(join(dataDir, `server-${number}`), environment, options, players));
  }
  return new Servers(made);
}

function serverIn(
  dataDir: string,
  own: Record<string, string>,
  { register, keep }: DemoOptions,
  { platform, device, bank, agent, time }: Players,
): ServerProcess {
  const address = agent?.address ?? addressOf(register, device);
  return new ServerProcess({
    dataDir,
    environment: {
      HOST: "127.0.0.1",
      PORT: "0",
      PLATFORM_BASE_URL: platform.base,
      CLOCK_AHEAD_MS: String(time.aheadMs),
      // This address stays valid for a server that outlives the demo, because the sandbox then serves its own keys at the same address.
      QR_JWKS_URL: `${platform.base}${KEYS_PATH}`,
      ...(bank?.environment ?? { DEFAULT_ACQUIRER: "simulated" }),
      ...present({ DEFAULT_REGISTER: address }),
      ...own,
    },
    clock: time.clock,
    detached: keep,
  });
}

async function endAtOnce({ servers, device, bank, agent }: Players): Promise<void> {
  await Promise.all([servers?.endForGood(), device?.endForGood(), bank?.endForGood(), agent?.endForGood()]);
}

async function perform(options: DemoOptions, io: Audience, servers: Servers, players: Players): Promise<void> {
  const { solution, platform, device, key, bank, agent, connection } = players;
  const { clock } = players.time;
  const { seed, kills, register, only } = options;
  const random = new SeededRandom(seed);
  const source = { clock, chance: systemChance, random };
  const ownRegister = register.kind !== "found";
  const further = furtherSteps(source, Math.max(0, kills - KILLS_OF_A_SHORT_DAY));
  const steps = demoSteps(source, further, ownRegister, only === "fiscal" ? [] : [...qrSteps(source), ...loyaltySteps(source)]);
  const note = (text: string) => io.out(`      ${text}`);
  const installation = newInstallation();
  const stage = new Stage({ servers, clock, note, ...present({ agent }) });
  const care = device === undefined ? undefined : new RegisterCare(device, clock, note);
  const cast: Cast = {
    solution,
    installation,
    platform,
    stage,
    ledger: new Ledger({ ownRegister }),
    receipts: new ReceiptFolder(resolve("demo-receipts")),
    plan: new KillPlan(random, kills, steps.length, agent === undefined ? ["server"] : ["server", "agent"]),
    clock,
    signal: io.signal,
    chance: systemChance,
    till: tillOf(platform),
    qr: { key, bank },
    loyalty: { connection, server: servers.first },
    installed: async () => {
      if (agent === undefined || agent.alive) return;
      await agent.enrol(servers.first, installation.accountId);
      await agent.start();
      note(`agent process ${agent.pid}: ${agent.address}`);
    },
    note,
    // Without faults the first answer to every request must be right, so the register needs no care.
    ...(care === undefined || register.kind !== "device" || register.faults.length === 0 ? {} : { care }),
  };
  io.out("");
  for (const line of tableHead()) io.out(line);
  await playSteps(steps, cast, (row) => io.out(tableRow(row))).finally(() => stage.close());
  await checkDrive(cast.ledger, care);
  io.out("");
  for (const fault of (await care?.leftOver()) ?? []) io.out(`the fault ${fault} never struck`);
  io.out(`${cast.receipts.count} receipts in ${cast.receipts.path}`);
  io.out(`nothing lost, nothing doubled: ${cast.ledger.summary}${stage.kills > 0 ? `, ${stage.kills} kills` : ""}`);
}

/**
 * Throws when the last document in the drive of the demo's device is not the document of the last answer. Compares nothing when the demo
 * started no device.
 */
async function checkDrive({ lastDocument }: Ledger, care: RegisterCare | undefined): Promise<void> {
  const found = (await care?.lastDocument()) ?? lastDocument;
  if (found !== lastDocument) {
    throw new Failure("document-doubled", "fault", `the drive's last document is ФД ${found}, and the last answer was ФД ${lastDocument}`);
  }
}

async function leave(options: DemoOptions, io: Audience, servers: Servers, players: Players): Promise<void> {
  const { device, bank, agent, platform, time } = players;
  if (!options.keep) {
    await servers.stop();
    await agent?.stop();
    await Promise.all([device?.close(), bank?.stop()]);
    return;
  }
  const server = servers.first;
  const { port } = new URL(platform.base);
  await platform.close();
  const sandbox = new PlatformProcess({ dataDir: server.dataDir, port, server: server.base, clock: time.clock });
  await sandbox.start();
  const account = await sandbox.installed();
  const own = agent === undefined ? undefined : await agentOfWindow(server, account.id, time);
  const register = own?.address ?? addressOf(options.register, device) ?? "emulator:window";
  // Without a register, the buttons of the settings page would not work.
  await changeSetting(server, account.id, account.storeId, `register=${register}`);
  const agents = [agent, own].filter((each) => each !== undefined);
  sandbox.release();
  servers.release();
  device?.release();
  bank?.release();
  for (const each of agents) each.release();
  for (const each of servers.all) io.out(`the server goes on as process ${each.pid}: ${each.base}/docs`);
  io.out(`its console: ${server.base}/console (login operator, password operator-development-only)`);
  io.out(`its settings page, in the frame of a platform with an account of its own (process ${sandbox.pid}): ${sandbox.window}`);
  for (const each of agents) io.out(`the agent goes on as process ${each.pid}: ${each.address}`);
  if (device !== undefined) io.out(`the device goes on as process ${device.pid}: ${device.address}`);
  if (bank !== undefined) io.out(`the bank goes on as process ${bank.pid}: ${bank.base}`);
}

/** Gives the window's account a separate agent, because the day's agent belongs to the day's account. */
async function agentOfWindow(server: ServerProcess, accountId: string, { clock }: DemoTime): Promise<AgentProcess> {
  const agent = new AgentProcess({ dataDir: server.dataDir, name: "window", register: "emulator:window", clock, detached: true });
  try {
    await agent.enrol(server, accountId);
    await agent.start();
  } catch (error) {
    await agent.endForGood();
    throw error;
  }
  return agent;
}

/** Pseudo-terminals need socat, which not every machine has. */
function missingTool({ register }: DemoOptions): string | undefined {
  if (register.kind !== "device" || register.line !== "serial") return undefined;
  const found = spawnSync("socat", ["-V"], { stdio: "ignore" });
  return found.error === undefined ? undefined : "--register shtrih-m+serial needs socat, which is not installed";
}

/** Makes a till. Its ids are new in each run, so that a folder can be used again. The seed repeats only the choices. */
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
