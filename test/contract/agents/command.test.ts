import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { composeAccounts } from "../../../src/app/accounts.ts";
import { type Application, compose } from "../../../src/app/compose.ts";
import { readConfig } from "../../../src/app/config.ts";
import { storeOptionsOf } from "../../../src/app/database.ts";
import { agentsCommand } from "../../../src/cli/agents/command.ts";
import { openAgents } from "../../../src/cli/agents/open.ts";
import { doctorCommand } from "../../../src/cli/doctor.ts";
import { examinationPlace, openSettings } from "../../../src/cli/open.ts";
import { runCommand } from "../../../src/cli/run.ts";
import { type SettingsTools, settingsCommand } from "../../../src/cli/settings.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { dialWebSocket } from "../../../src/registers/agent/wire/web-socket.ts";
import { parseAddress } from "../../../src/registers/catalogue.ts";
import { openStore } from "../../../src/store/database.ts";
import { AGENT_ACCOUNT } from "../../support/agents-bench.ts";
import { AgentPlayer, agentKeys } from "../../support/agents-player.ts";
import { HOSTILE } from "../../support/hostile-texts.ts";

const SECOND_ACCOUNT = { ...AGENT_ACCOUNT, accountId: "22222222-0000-4000-8000-000000000002" };

describe("the command agents", () => {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  const environment = { PORT: "0", DATA_DIR: folder, LOG_LEVEL: "silent", AGENTS_URL: "wss://fiscal.example/agents" };
  const config = readConfig(environment);
  let application: Application;
  let address: string;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    application = await compose(config, silentLog, () => {});
    address = await application.listen();
    const store = await openStore(storeOptionsOf(config));
    const parts = { config, store, clock: systemClock, chance: systemChance, log: silentLog, parseRegister: parseAddress };
    const accounts = composeAccounts(parts);
    for (const key of [AGENT_ACCOUNT, SECOND_ACCOUNT]) await accounts.installations.activate(key, { accountName: "Shop" }, "active");
    await accounts.close();
    await store.close();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await application.close();
    rmSync(folder, { recursive: true });
  });

  let asked = 0;
  const countedSettings = async (): Promise<SettingsTools> => {
    const tools = await openSettings();
    const agents: SettingsTools["agents"] = async (signal) => {
      asked += 1;
      return (await tools.agents?.(signal)) ?? [];
    };
    return { ...tools, agents };
  };
  const run = (...args: string[]) => runUntil(new AbortController().signal, ...args);
  const runUntil = async (signal: AbortSignal, ...args: string[]) => {
    const said: string[] = [];
    const io = { out: (text: string) => said.push(text), err: (text: string) => said.push(text), signal };
    const commands = [
      { name: "settings", load: async () => settingsCommand(countedSettings) },
      { name: "agents", load: async () => agentsCommand(openAgents) },
      {
        name: "doctor",
        load: async () => doctorCommand({ environment: examinationPlace, payments: () => Promise.reject(new Error("no")) }),
      },
    ];
    const code = await runCommand(commands, args, io);
    return { code, text: said.join("\n") };
  };
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).text);

  /** Enrols an agent with a printed code. */
  const enrol = async (name: string) => {
    const { code } = await json("agents", "enrol", name, "--account", AGENT_ACCOUNT.accountId);
    const { publicKey, privateKey } = agentKeys();
    const { body } = await request(address).post("/agents/enrol").send({ code, publicKey, version: "1.0.0", host: "till" });
    return async (epoch: number, folderId = "folder-1") => {
      const socket = await dialWebSocket(`${address.replace("http", "ws")}/agents/connect`);
      return new AgentPlayer(socket, { agent: body.agent, privateKey, epoch, folder: folderId });
    };
  };
  /** Connects, and waits until the connection is used: then the server asks which attempts are not settled. */
  const connectAndSettle = async (agent: AgentPlayer) => {
    await agent.connect();
    const { call } = await agent.next();
    agent.send({ answer: call, result: { unsettled: [] } });
  };
  const stateOf = async (name: string) => (await json("agents", "show", name)).state;

  it("prints a code with what an agent needs, and lists the name as waiting", async () => {
    expect(await json("agents", "enrol", "new", "--account", AGENT_ACCOUNT.accountId, "--minutes", "5")).toEqual({
      code: expect.stringMatching(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/),
      name: "new",
      account: AGENT_ACCOUNT.accountId,
      server: "wss://fiscal.example/agents",
      expiresAt: expect.any(String),
    });
    expect(await json("agents", "show", "new")).toMatchObject({ name: "new", state: "waiting", registers: [] });
  });

  it("shows an agent while it is connected and away, and one that is revoked is closed and refused", async () => {
    const dial = await enrol("shop7");
    expect(await stateOf("shop7")).toBe("waiting");
    const first = await dial(0);
    await first.connect();
    await first.next();
    expect(await json("agents", "list")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "shop7",
          account: AGENT_ACCOUNT.accountId,
          state: "connected",
          version: "1.0.0",
          protocol: 1,
          epoch: 1,
          clockOffMs: null,
        }),
      ]),
    );
    first.close();
    await first.closed();
    await expect.poll(() => stateOf("shop7")).toBe("away");
    const second = await dial(1);
    await second.connect();
    await second.next();
    expect((await run("agents", "revoke", "shop7")).text).toBe("shop7 is revoked");
    expect((await second.closed()).code).toBe(4403);
    const third = await dial(2);
    await third.sayHello();
    expect((await third.closed()).code).toBe(4403);
    expect(await stateOf("shop7")).toBe("revoked");
  });

  it("accepts another copy of an agent, and closes the one that was connected", async () => {
    const dial = await enrol("shop8");
    const first = await dial(0);
    await first.connect();
    await first.next();
    const copy = await dial(1, "folder-2");
    await copy.sayHello();
    expect((await copy.closed()).code).toBe(4409);
    await expect.poll(() => stateOf("shop8")).toBe("forked");
    expect(await json("agents", "accept", "shop8")).toMatchObject({ kind: "accepted", copy: "other" });
    expect((await first.closed()).code).toBe(4409);
    const again = await dial(1, "folder-2");
    expect(await again.connect()).toBe(2);
    await again.next();
    expect(await stateOf("shop8")).toBe("connected");
    expect((await run("agents", "accept", "shop8")).code).toBe(1);
    expect(await json("agents", "accept", "--all-forked")).toEqual({ accepted: [] });
    again.close();
  });

  it("shows beside a setting what the agent of a register is doing", async () => {
    const dial = await enrol("shop6");
    const set = await run("settings", "set", AGENT_ACCOUNT.accountId, "store", "register=agent:shop6?drive=any");
    expect(set.text).toContain("register is set for store");
    const listed = async () => (await run("settings", "list")).text;
    expect(await listed()).toMatch(/register=agent:shop6\?drive=any {2}\(waiting since \S+\)/);
    const agent = await dial(0);
    await agent.connect();
    await agent.next();
    expect(await listed()).toContain("(connected since ");
    agent.close();
  });

  it("asks the server once for the agents of all accounts", async () => {
    await run("agents", "enrol", "shop61", "--account", AGENT_ACCOUNT.accountId);
    await run("agents", "enrol", "shop62", "--account", SECOND_ACCOUNT.accountId);
    await run("settings", "set", AGENT_ACCOUNT.accountId, "store", "register=agent:shop61?drive=any");
    await run("settings", "set", SECOND_ACCOUNT.accountId, "store", "register=agent:shop62?drive=any");
    asked = 0;
    const { text } = await run("settings", "list");
    expect([asked, text.match(/register=agent:shop6[12]\?drive=any {2}\(waiting/g)?.length]).toEqual([1, 2]);
  });

  it.each([
    ["revoke", "shop63"],
    ["accept", "shop63"],
    ["accept", "--all-forked"],
  ])("does nothing by itself when a signal comes before the server's answer: %s %s", async (...args) => {
    await run("agents", "enrol", "shop63", "--account", AGENT_ACCOUNT.accountId, "--replace");
    const { code, text } = await runUntil(AbortSignal.abort(), "agents", ...args);
    expect([code, text]).toEqual([1, expect.stringMatching(/^a signal came before the running server has answered/)]);
    expect(await json("agents", "list")).toContainEqual(expect.objectContaining({ name: "shop63", state: "waiting" }));
  });

  it("asks an agent for its log and for an examination", async () => {
    const dial = await enrol("shop9");
    const agent = await dial(0);
    await connectAndSettle(agent);
    const logging = run("agents", "log", "shop9", "--lines", "2");
    const asked = await agent.nextCall();
    expect(asked).toMatchObject({ do: "log", lines: 2 });
    agent.send({ answer: asked.call, result: { lines: ["one", "two"] } });
    expect(await logging).toEqual({ code: 0, text: "one\ntwo" });
    const examining = run("doctor", "agent:shop9");
    const examine = await agent.nextCall();
    expect(examine).toMatchObject({ do: "examine", register: "main", zoneKnown: false });
    agent.send({ answer: examine.call, result: { kind: "unreachable", reason: "the cable is out" } });
    expect(await examining).toEqual({ code: 2, text: "agent:shop9 could not be examined: the cable is out" });
    agent.close();
  });

  it("shows what would steer a terminal in an agent's log, and does nothing of it", async () => {
    const dial = await enrol("shop10");
    const agent = await dial(0);
    await connectAndSettle(agent);
    const logging = run("agents", "log", "shop10", "--lines", "1");
    const asked = await agent.nextCall();
    agent.send({ answer: asked.call, result: { lines: [HOSTILE] } });
    const { text } = await logging;
    expect([text.includes("=1+1<script>"), /[\p{Cc}\p{Bidi_Control}]/u.exec(text)?.[0]]).toEqual([true, undefined]);
    agent.close();
  });

  it.each([
    [["enrol", "Shop"], 'enrol needs the NAME of an agent, 1 to 40 of a-z, 0-9 and "-", not "Shop"'],
    [["enrol", "shop"], "enrol needs --account"],
    [["list", "--follow"], "agents list has no option --follow"],
    [["show", "nobody"], "there is no agent nobody"],
    [["accept", "a/b/c"], "accept needs NAME or NAME/REGISTER"],
    [["enrol", "shop8", "--account", AGENT_ACCOUNT.accountId], "there is an agent shop8 already"],
  ])("refuses agents %j with one line", async (args, words) => {
    const { code, text } = await run("agents", ...args);
    expect([code, text.split("\n").length, text]).toEqual([2, 1, expect.stringContaining(words)]);
  });

  it("shows what was stored when no server runs", async () => {
    await application.close();
    expect(await stateOf("shop9")).toBe("away");
  });
});
