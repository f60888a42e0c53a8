import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { AgentChild } from "./agent-child.ts";
import { BenchHub } from "./agent-hub.ts";
import { remove } from "./agent-many.ts";
import { medianRow, type Row, rounded, withFloor } from "./row.ts";

const ROUNDS = 5;
/** The number of starts that are not counted, because the first start fills the compile cache. */
const WARM_UP = 1;
/** After this time the work that follows the first connection is over. */
const REST_MS = 5_000;
const KIB = 1024;

/** The memory of the real process of a shop while it waits, compared with a process that has only loaded its libraries. */
export async function agentMemoryRows(note: (text: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-agent-"));
  const server = await BenchHub.open({ folder });
  try {
    const { data } = await server.enrol("shop", folder);
    const rows: ReturnType<typeof withFloor>[] = [];
    for (let round = 1 - WARM_UP; round <= ROUNDS; round += 1) {
      const agent = await atRest(() => AgentChild.startAgent(data));
      const bare = await atRest(startBare);
      if (round < 1) continue;
      note(`round ${round}: agent ${rounded(agent)} MiB, libraries ${rounded(bare)} MiB`);
      rows.push(withFloor({ name: "agent.memory", value: rounded(agent), unit: "MiB" }, bare));
    }
    return [medianRow(rows)];
  } finally {
    await server.close();
    remove(folder);
  }
}

async function startBare(): Promise<AgentChild> {
  const bare = AgentChild.start("agent-libraries.ts");
  await bare.line();
  return bare;
}

/** The memory of a process after a while without work, in mebibytes. */
async function atRest(start: () => Promise<AgentChild>): Promise<number> {
  const child = await start();
  try {
    await pause(systemClock, REST_MS);
    const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
    return Number(found?.[1]) / KIB;
  } finally {
    await child.end();
  }
}
