import { expect, it, onTestFinished } from "vitest";
import { OPERATOR } from "../../../src/accounts/audit.ts";
import type { InstallationKey } from "../../../src/accounts/installation.ts";
import { AgentDesk } from "../../../src/agents/desk.ts";
import { Enrolment, MAX_AGENTS_OF_ACCOUNT } from "../../../src/agents/enrolment.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import type { AgentRow } from "../../../src/store/agent-tables.ts";
import type { Store } from "../../../src/store/database.ts";
import { agentsPage } from "../../../src/web/console/agents/agents-page.ts";
import { sayIn } from "../../../src/web/language.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { ZONE } from "../../support/registers.ts";

const BOUND_MS = 50;
const AGENTS = 20_000;
/** The page shows so many agents, and says how many there are. */
const SHOWN = 1_000;
/** SQLite takes 32,766 values in one statement, and an agent has 20. */
const ROWS_AT_ONCE = 500;
const KEY: InstallationKey = { appId: "app", accountId: "account" };

it("thousands of agents are listed and drawn without a long stop of the event loop", async () => {
  const [store, rows] = await storeOf(AGENTS);
  const desk = new AgentDesk({ store, clock: systemClock });
  const listed = await longestTurnWithin(BOUND_MS, TRIES, () => desk.list());
  expect(listed.result).toHaveLength(AGENTS);
  expect(listed.result.at(-1)?.registers).toMatchObject([{ name: "main", serialNumber: rows.at(-1)?.name }]);
  const session = { login: "anna", expiresAtMs: 2, csrf: "csrf" };
  const context = { say: sayIn("ru"), language: "ru" as const, zone: ZONE, nowMs: 1, session };
  const drawn = await longestTurnWithin(BOUND_MS, TRIES, () => agentsPage(context, { agents: listed.result, installations: [] }));
  expect(String(drawn.result.content).match(/data-agent=/g)).toHaveLength(SHOWN);
  expect(String(drawn.result.content)).toContain(`Показано ${SHOWN} из ${AGENTS}`);
  for (const { cpuMs, allowedMs } of [listed, drawn]) expect(cpuMs).toBeLessThan(allowedMs);
});

it("an account gets no code for one agent more than the most, and still one in place of an agent that it has", async () => {
  const [store, rows] = await storeOf(MAX_AGENTS_OF_ACCOUNT - 1);
  const enrolment = new Enrolment({ store, clock: systemClock, chance: systemChance });
  const issue = async (name: string, accountId = KEY.accountId) =>
    (await enrolment.issue({ name, key: { ...KEY, accountId }, minutes: 15, replace: true, actor: OPERATOR })).kind;
  expect(await issue("the-last")).toBe("issued");
  expect(await issue("one-more")).toBe("full");
  expect(await issue("the-last")).toBe("issued");
  expect(await issue(rows[0]?.name ?? "")).toBe("issued");
  expect(await issue("of-another", "another")).toBe("issued");
});

/** A database with so many agents of one account, and their rows. */
async function storeOf(count: number): Promise<[Store, AgentRow[]]> {
  const store = await openMemoryStore();
  onTestFinished(() => store.close());
  const rows = Array.from({ length: count }, (_, index) => agentRow(`agent-${10_000 + index}`));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE);
    await store.commit(async (tx) => {
      await tx.insertInto("agents").values(part).execute();
      await tx
        .insertInto("agent_registers")
        .values(part.map(({ name }) => ({ name, register: "main", scheme: "shtrih-m+tcp", serial_number: name, drive_number: name })))
        .execute();
    });
  }
  return [store, rows];
}

function agentRow(name: string): AgentRow {
  return {
    name,
    agent_id: name,
    app_id: KEY.appId,
    account_id: KEY.accountId,
    public_key: "key",
    host: "shop",
    version: "1",
    protocol: 1,
    enrolled_at_ms: 1,
    revoked_at_ms: null,
    folder: "folder",
    epoch: 1,
    offered_epoch: null,
    top_epoch: 1,
    forked_epoch: null,
    forked_folder: null,
    forked_at_ms: null,
    connected: 0,
    since_ms: 1,
    process: null,
  };
}
