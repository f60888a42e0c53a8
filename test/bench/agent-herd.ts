import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { AgentChild } from "./agent-child.ts";
import { AGENTS, FleetServer, fleetFolder, remove, startFleet } from "./agent-many.ts";
import { medianRow, type Row, rounded, withFloor } from "./row.ts";

const ROUNDS = 3;
/** How long the server is away, apart from the time of its start. */
const AWAY_MS = 2_000;

/**
 * Measures how long a thousand agents take to come back after the server was killed, from the moment at which it listens again. Compared
 * with a thousand bare handshakes at once, and with the longest pause in which an agent may have been at that moment.
 */
export async function agentHerdRows(note: (text: string) => void): Promise<Row[]> {
  const rows: ReturnType<typeof withFloor>[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { backMs, stepMs } = await herd();
    const handshakesMs = await handshakes();
    note(`round ${round}: back in ${rounded(backMs)} ms, handshakes ${rounded(handshakesMs)} ms, step ${stepMs} ms`);
    rows.push(withFloor({ name: "agent.herd", value: rounded(backMs), unit: "ms" }, handshakesMs + stepMs));
  }
  return [medianRow(rows)];
}

async function herd(): Promise<{ backMs: number; stepMs: number }> {
  const [folder, root] = [mkdtempSync(join(tmpdir(), "fiscal-bench-agent-")), fleetFolder()];
  const environment = { port: await freePort(), secretKey: "key-of-the-bench-only" };
  const server = await FleetServer.prepare(join(folder, "data"), root, environment);
  let fleet: AgentChild | undefined;
  try {
    await server.start();
    fleet = await startFleet(root);
    await fleet.ask(`dial ${server.url}`);
    await server.connected(AGENTS);
    await server.kill();
    await pause(systemClock, AWAY_MS);
    await server.start();
    const startedMs = systemClock.monotonicMs();
    const { stepMs } = await fleet.ask("step");
    await fleet.line();
    await server.connected(AGENTS);
    return { backMs: systemClock.monotonicMs() - startedMs, stepMs: Number(stepMs) };
  } finally {
    await fleet?.end();
    await server.kill();
    remove(folder, root);
  }
}

async function handshakes(): Promise<number> {
  const server = AgentChild.start("agent-bare-server.ts");
  const clients = AgentChild.start("agent-bare-clients.ts", String(AGENTS));
  try {
    const { url } = await server.line();
    await clients.line();
    const startedMs = systemClock.monotonicMs();
    await clients.ask(`dial ${url}`);
    return systemClock.monotonicMs() - startedMs;
  } finally {
    await clients.end();
    await server.end();
  }
}
