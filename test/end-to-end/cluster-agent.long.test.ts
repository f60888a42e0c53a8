import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { ClusterTill, type TillAnswer, twoProcesses, wireTap } from "../simulation/cluster/shared-database.ts";
import { agentCommand, startAgent } from "../support/agent-process.ts";
import { AgentWay } from "../support/agent-way.ts";
import { temporaryFolder } from "../support/server-process.ts";
import { type DeviceProcess, startDevice } from "../support/shtrih-m-device-process.ts";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
/** The time limit of starts of programs and takeovers, on a machine that does other work too. */
const LIMIT_MS = 600_000;

describe("two processes on one database, with an agent in a shop", { timeout: LIMIT_MS }, () => {
  it("register a sale once whose process is killed before it permits, after it has permitted, and after the device was told", async () => {
    const { device, processes, till, way, told } = await opened();
    let [near, far] = processes;
    const strikes = [() => way.sends('"do":"perform"'), () => way.sends('"go":'), () => told(CLOSE_RECEIPT)];
    for (const strike of strikes) {
      const sale = till.newSale();
      const struck = strike();
      const cutOff = sale.at(far);
      await struck;
      process.kill(near.pid, "SIGKILL");
      way.target = far;
      // The process that was asked lives. It answers with the outcome of the sale, or that the outcome is not known
      // yet.
      expect([200, 409, 503]).toContain((await cutOff).status);
      const sold = await repeatedUntil(200, () => sale.at(far));
      await near.kill();
      await near.start();
      expect(await repeatedUntil(200, () => sale.at(near))).toEqual(sold);
      [near, far] = [far, near];
    }
    expect(await receiptsOf(device)).toBe(strikes.length);
  });

  it("register a sale once whose process was paused for longer than its lease, while the agent has kept the connection", async () => {
    const { device, processes, till, way } = await opened();
    const [near, far] = processes;
    const sale = till.newSale();
    const begun = way.sends('"do":"perform"');
    const interrupted = sale.at(near);
    await begun;
    process.kill(near.pid, "SIGSTOP");
    const sent: string[] = [];
    way.heard = (text) => void sent.push(text);
    expect([409, 503]).toContain((await sale.at(far)).status);
    expect(await command(far, "cluster", "list", "--json")).toContain('"state":"lost"');
    process.kill(near.pid, "SIGCONT");
    await interrupted;
    const sold = await repeatedUntil(200, () => sale.at(far));
    expect(await repeatedUntil(200, () => sale.at(near))).toEqual(sold);
    // The first frames belong to the work that the pause has interrupted.
    const [first] = sent.join("").match(/"(?:go|do)":[^,}]+/g) ?? [];
    expect(first).not.toContain("go");
    expect(await receiptsOf(device)).toBe(1);
  });

  it("refuse no sale while the process that has the agent leaves, and while it is drained", async () => {
    const { device, processes, till, way } = await opened();
    const [near, far] = processes;
    const sold: TillAnswer[] = [];
    const sellDuring = async (work: Promise<unknown>) => {
      let isOver = false;
      const ended = work.finally(() => {
        isOver = true;
      });
      while (!isOver) sold.push(await till.newSale().decidedAt(far));
      await ended;
    };
    way.target = far;
    await sellDuring(near.stop());
    await near.start();
    way.target = near;
    const listed: { id: string; url: string }[] = JSON.parse(await command(far, "cluster", "list", "--json"));
    const drained = listed.findLast(({ url }) => url === far.environment.CLUSTER_URL);
    await sellDuring(command(near, "cluster", "drain", drained?.id ?? ""));
    expect(await hasAgent(near)).toBe(true);
    sold.push(await till.newSale().decidedAt(far));
    expect(sold.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await receiptsOf(device)).toBe(sold.length);
  });

  it("show the agent alike, wherever it is connected, and drop it when it is revoked through any of them", async () => {
    const { processes, till } = await opened();
    const shownAt = async (server: ServerProcess) => JSON.parse(await command(server, "agents", "list", "--json"))[0];
    // The agent tells the state of its registers with its first look at them, which may be some seconds after the first document.
    await until(async () => (await shownAt(processes[0])).registers[0].state === "reached");
    for (let time = 0; time < LISTS; time += 1) {
      for (const server of processes) {
        const shown = await shownAt(server);
        expect(shown).toMatchObject({ name: "shop", state: "connected", registers: [{ state: "reached" }] });
      }
    }
    await command(processes[1], "agents", "revoke", "shop");
    await until(async () => (await Promise.all(processes.map(hasAgent))).every((has) => !has));
    for (const server of processes) {
      const { status, body } = await till.newSale().at(server);
      expect(status).toBe(503);
      expect(body).toContain("агент shop отозван");
    }
  });
});

/** Two processes, and an open shift at a device behind an agent that is connected to the first of them. */
async function opened() {
  const device = await startDevice("--control", "127.0.0.1:0");
  let wanted: { bytes: Buffer; tell(): void } | undefined;
  const tap = await wireTap(device.address, (bytes) => {
    if (wanted !== undefined && bytes.includes(wanted.bytes)) wanted.tell();
  });
  const processes = await twoProcesses({ DEFAULT_REGISTER: "agent:shop", CLUSTER_LEASE_MS: "3000" });
  const [near, far] = processes;
  const till = new ClusterTill(7);
  await till.install(near);
  const way = await AgentWay.open(near);
  const { code } = JSON.parse(await command(far, "agents", "enrol", "shop", "--account", till.shop.installation.accountId, "--json"));
  const folder = join(temporaryFolder(), "agent");
  expect(await agentCommand(["enrol", "--server", way.url, "--code", code, "--data", folder])).toMatchObject({ code: 0 });
  startAgent(["run", "--data", folder, "--register", `main=${tap.address}`]);
  await until(() => hasAgent(near));
  const shift = till.newShift();
  await repeatedUntil(200, () => shift.at(far));
  /** Resolves when these bytes are sent to the device. */
  const told = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      wanted = {
        bytes,
        tell() {
          wanted = undefined;
          resolve();
        },
      };
    });
  return { device, processes, till, way, told };
}

async function command({ dataDir, environment }: ServerProcess, ...args: string[]): Promise<string> {
  const env = { ...environment, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: dataDir, env });
  return stdout;
}

async function hasAgent({ base }: ServerProcess): Promise<boolean> {
  return /^agents_connected 1$/m.test(await (await fetch(`${base}/metrics`)).text());
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(systemClock, PAUSE_MS);
}

async function repeatedUntil(status: number, call: () => Promise<TillAnswer>): Promise<TillAnswer> {
  for (;;) {
    const answer = await call();
    if (answer.status === status) return answer;
    await pause(systemClock, PAUSE_MS);
  }
}

async function receiptsOf(device: DeviceProcess): Promise<number> {
  const { documents } = await device.order({ do: "documents" });
  if (!Array.isArray(documents)) throw new Error("the device lists no documents");
  return documents.filter(({ kind }) => kind === "receipt").length;
}

/** The command that closes a receipt: FF45 of the protocol. */
const CLOSE_RECEIPT = Buffer.from("ff45", "hex");
const LISTS = 3;
const PAUSE_MS = 100;
