import type { Installations } from "../../accounts/installations.ts";
import type { ShownAgent } from "../../agents/agent.ts";
import { askedTunnel } from "../../agents/asked-tunnel.ts";
import { AgentDesk } from "../../agents/desk.ts";
import { Enrolment } from "../../agents/enrolment.ts";
import type { AgentRequest, RequestAnswer } from "../../agents/request-schema.ts";
import { askServer } from "../../agents/requests.ts";
import { composeAccounts } from "../../app/accounts.ts";
import { processClock } from "../../app/clock.ts";
import { readConfig } from "../../app/config.ts";
import { storeOptionsOf } from "../../app/database.ts";
import { createLog } from "../../app/logging.ts";
import { clockAhead, systemChance } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import { parseAddress } from "../../registers/catalogue.ts";
import type { Tunnel } from "../../registers/tunnel.ts";
import { openStore } from "../../store/database.ts";

export interface AgentTools {
  installations: Pick<Installations, "list">;
  enrolment: Pick<Enrolment, "issue">;
  /** Works without a running server. */
  desk: AgentDesk;
  /** The address that agents dial. */
  url: string;
  /** Asks the running server. Undefined: no server has answered before the deadline or the signal. */
  ask(request: AgentRequest, deadline: Deadline): Promise<RequestAnswer | undefined>;
  close(): Promise<void>;
}

/** How long a command waits for the running server, which looks for requests every half second. */
const SERVER_LIMIT_MS = 3_000;
const JOURNAL_DUE = "set DATA_DIR and DATABASE_URL as the server has them";

/** Opens and migrates the database, even while a server runs. The server reads stored requests within a second. */
export async function openAgents(signal?: AbortSignal): Promise<AgentTools> {
  const config = readConfig();
  const store = await openStore(storeOptionsOf(config), { journalDue: JOURNAL_DUE, givesWay: true });
  await store.migrate();
  const [clock, chance, log] = [clockAhead(config.clockAheadMs), systemChance, createLog({ level: "silent" })];
  const accounts = composeAccounts({ config, store, clock, chance, log, parseRegister: parseAddress });
  const asking = { store, clock, chance, ...(signal === undefined ? {} : { signal }) };
  return {
    installations: accounts.installations,
    enrolment: new Enrolment({ store, clock, chance }),
    desk: new AgentDesk({ store, clock }),
    url: config.agents.url,
    ask: (request, deadline) => askServer(asking, request, deadline),
    close: () => accounts.close().finally(() => store.close()),
  };
}

/** Returns the agents from the running server, else from the database. */
export async function shownAgents({ ask, desk }: Pick<AgentTools, "ask" | "desk">): Promise<ShownAgent[]> {
  const answer = await ask({ kind: "list" }, deadlineIn(processClock(), SERVER_LIMIT_MS));
  return answer?.kind === "done" ? (answer.result as ShownAgent[]) : await desk.list();
}

/** Returns a tunnel to agents through the running server, for an examination. */
export async function openAskedTunnel(signal: AbortSignal): Promise<{ tunnel: Tunnel; close(): Promise<void> }> {
  const { ask, close } = await openAgents(signal);
  return { tunnel: askedTunnel(ask), close };
}
