import type { InstallationKey } from "../accounts/installation.ts";
import { present } from "../kernel/present.ts";
import type { AgentCodeRow, AgentRegisterRow, AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { selectAgents, selectRegistersOfAll, selectWaitingCodes } from "./agent-queries.ts";

/** The largest number of agents that are read at once. With their registers they take SQLite a few milliseconds. */
const AGENTS_A_STEP = 300;

type Reader = Pick<Store, "read">;

/** Reads the agents of one installation or of all, in steps, sorted by name as the database sorts. */
export async function* agentsInSteps(store: Reader, key?: InstallationKey): AsyncGenerator<AgentRow[]> {
  yield* inSteps((after) => store.read((db) => selectAgents(db, { ...present({ key }), after, limit: AGENTS_A_STEP })));
}

/** Reads the valid codes whose name has no agent, of one installation or of all, in steps. */
export async function* waitingCodesInSteps(store: Reader, nowMs: number, key?: InstallationKey): AsyncGenerator<AgentCodeRow[]> {
  yield* inSteps((after) => store.read((db) => selectWaitingCodes(db, nowMs, { ...present({ key }), after, limit: AGENTS_A_STEP })));
}

/** Returns the registers of these agents, by the agent's name. */
export async function registersOf(store: Reader, agents: readonly AgentRow[]): Promise<ReadonlyMap<string, AgentRegisterRow[]>> {
  const names = agents.map(({ name }) => name);
  return Map.groupBy(await store.read((db) => selectRegistersOfAll(db, names)), ({ name }) => name);
}

async function* inSteps<Row extends { name: string }>(read: (after: string) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: Row[] = await read(after);
    if (rows.length > 0) yield rows;
    after = rows.length < AGENTS_A_STEP ? undefined : rows.at(-1)?.name;
  }
}
