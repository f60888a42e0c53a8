import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { AgentChild } from "./agent-child.ts";
import { AGENTS, fleetFolder, remove, startFleet } from "./agent-many.ts";
import { medianRow, type Row, rounded, withFloor } from "./row.ts";

const ROUNDS = 3;
/** After this time each side has sent pings, and the agents have reported the states of their registers. */
const SETTLE_MS = 8_000;
const KIB = 1024;

/** The server's memory for a thousand agents that wait, compared with bare connections that have the same pings. */
export async function agentIdleRows(note: (text: string) => void): Promise<Row[]> {
  const rows: ReturnType<typeof withFloor>[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const [hub, bare] = [await hubBytes(), await bareBytes()];
    note(`round ${round}: ${rounded(hub / AGENTS / KIB)} KiB an agent, ${rounded(bare / AGENTS / KIB)} KiB a bare connection`);
    rows.push(withFloor({ name: "agent.idle", value: rounded(hub / KIB / KIB), unit: "MiB" }, bare / KIB / KIB));
  }
  return [medianRow(rows)];
}

async function hubBytes(): Promise<number> {
  const [folder, root] = [mkdtempSync(join(tmpdir(), "fiscal-bench-agent-")), fleetFolder()];
  const server = AgentChild.start("agent-hub-process.ts", folder, root, String(AGENTS));
  try {
    const { url } = await server.line();
    const fleet = await startFleet(root);
    return await held(server, fleet, String(url));
  } finally {
    await server.end();
    remove(folder, root);
  }
}

async function bareBytes(): Promise<number> {
  const server = AgentChild.start("agent-bare-server.ts");
  try {
    const { url } = await server.line();
    const clients = AgentChild.start("agent-bare-clients.ts", String(AGENTS));
    await clients.line();
    return await held(server, clients, String(url));
  } finally {
    await server.end();
  }
}

async function held(server: AgentChild, clients: AgentChild, url: string): Promise<number> {
  try {
    await clients.ask(`dial ${url}`);
    await pause(systemClock, SETTLE_MS);
    const { bytes, connected } = await server.ask("memory");
    if (connected !== AGENTS) throw new Error(`${connected} are connected, not ${AGENTS}`);
    return Number(bytes);
  } finally {
    await clients.end();
  }
}
