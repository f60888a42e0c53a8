import { agentHerdRows } from "./agent-herd.ts";
import { agentIdleRows } from "./agent-idle.ts";
import { agentMemoryRows } from "./agent-memory.ts";
import { agentOthersRows } from "./agent-others.ts";
import { agentSaleRows } from "./agent-sale.ts";
import type { Part, Row } from "./row.ts";

/** The costs of a register behind a shop's agent, compared with the same work without the agent. */
export const agentBench: Part = {
  prefix: "agent.",
  async run(note, only): Promise<Row[]> {
    const rows: Row[] = [];
    for (const { names, measure } of MEASUREMENTS) {
      if (names.some((name) => name.startsWith(only) || only.startsWith(name))) rows.push(...(await measure(note)));
    }
    return rows;
  },
};

/** Rows that are measured together, with their measurement. */
const MEASUREMENTS: readonly { names: readonly string[]; measure(note: (text: string) => void): Promise<Row[]> }[] = [
  { names: ["agent.sale", "agent.inspect"], measure: agentSaleRows },
  { names: ["agent.idle"], measure: agentIdleRows },
  { names: ["agent.others"], measure: agentOthersRows },
  { names: ["agent.herd"], measure: agentHerdRows },
  { names: ["agent.memory"], measure: agentMemoryRows },
];
