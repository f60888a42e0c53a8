import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR } from "../../../src/accounts/audit.ts";
import { Enrolment } from "../../../src/agents/enrolment.ts";
import { type Application, compose } from "../../../src/app/compose.ts";
import { readConfig } from "../../../src/app/config.ts";
import { storeOptionsOf } from "../../../src/app/database.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { dialWebSocket } from "../../../src/registers/agent/wire/web-socket.ts";
import { openStore, type Store } from "../../../src/store/database.ts";
import { AGENT_ACCOUNT } from "../../support/agents-bench.ts";
import { AgentPlayer, agentKeys } from "../../support/agents-player.ts";

describe("the addresses of agents", () => {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  const config = readConfig({ PORT: "0", DATA_DIR: folder, LOG_LEVEL: "silent", TRUSTED_PROXIES: "127.0.0.1" });
  let application: Application;
  let address: string;
  let store: Store;
  let enrolment: Enrolment;

  beforeAll(async () => {
    application = await compose(config, silentLog, () => {});
    address = await application.listen();
    store = await openStore(storeOptionsOf(config));
    enrolment = new Enrolment({ store, clock: systemClock, chance: systemChance });
  });
  afterAll(async () => {
    await store.close();
    await application.close();
    rmSync(folder, { recursive: true });
  });

  const issue = async (name: string) => {
    const issued = await enrolment.issue({ name, key: AGENT_ACCOUNT, minutes: 15, replace: false, actor: OPERATOR });
    return issued.kind === "issued" ? issued.code : "";
  };
  const enrol = (body: object | string) => request(address).post("/agents/enrol").set("Content-Type", "application/json").send(body);
  const dial = () => dialWebSocket(`${address.replace("http", "ws")}/agents/connect`);

  it("enrol an agent, which then connects and is asked what it has not settled", async () => {
    const { publicKey, privateKey } = agentKeys();
    const enrolled = await enrol({ code: await issue("shop7"), publicKey, version: "1.0.0", host: "till" });
    expect([enrolled.status, enrolled.body]).toEqual([
      201,
      { agent: expect.any(String), name: "shop7", server: expect.any(String), protocol: [1, 1] },
    ]);
    const player = new AgentPlayer(await dial(), { agent: enrolled.body.agent, privateKey });
    expect(await player.connect()).toBe(1);
    expect(await player.next()).toMatchObject({ call: 1, do: "settled", register: "main", attempts: [] });
    player.close();
    expect((await player.closed()).code).toBe(1000);
  });

  it("count wrong codes by network: a caller has thousands of addresses of one IPv6 network", async () => {
    const { publicKey } = agentKeys();
    const statuses: number[] = [];
    for (let tried = 1; tried <= 6; tried += 1) {
      const wrong = enrol({ code: "AAAAA-AAAAA-AAAAA-AAAAA", publicKey, version: "1.0.0", host: "till" });
      statuses.push((await wrong.set("X-Forwarded-For", `2001:db8:7:7::${tried}`)).status);
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  it("answer a wrong, a used and an expired code with the same bytes", async () => {
    const { publicKey } = agentKeys();
    const body = (code: string) => ({ code, publicKey, version: "1", host: "h" });
    const used = await issue("shop8");
    expect((await enrol(body(used))).status).toBe(201);
    const [wrong, again] = [await enrol(body("wrong")), await enrol(body(used))];
    expect([wrong.status, again.status, again.text]).toEqual([403, 403, wrong.text]);
  });

  it.each([
    ["a code of another type", { code: 5, publicKey: agentKeys().publicKey, version: "1", host: "h" }],
    ["a key that is none", { code: "A", publicKey: "AAAA", version: "1", host: "h" }],
    ["text that is no JSON", "{"],
    ["more than 8 KiB", { code: "A", publicKey: "A".repeat(9_000), version: "1", host: "h" }],
  ])("answer 400 to %s", async (_what, body) => {
    expect((await enrol(body)).status).toBe(400);
  });

  it("answer 426 where a connection was not asked for as one", async () => {
    const answer = await request(address).get("/agents/connect");
    expect([answer.status, answer.headers.upgrade]).toEqual([426, "websocket"]);
  });

  it("break a connection off that sends much before its hello", async () => {
    const socket = await dial();
    const player = new AgentPlayer(socket, { agent: "none", privateKey: agentKeys().privateKey });
    await player.next();
    socket.send(JSON.stringify({ hello: "x".repeat(100_000) }));
    expect([1006, 4400]).toContain((await player.closed()).code);
  });

  it("describe what travels in frames", async () => {
    const { body } = await request(address).get("/openapi.json");
    expect(Object.keys(body.components.schemas)).toEqual(["AgentIdentity", "AgentInspect", "AgentDocument", "AgentOutcome"]);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["/agents/enrol", "/agents/connect"]));
  });

  it("count connections, calls and bytes", async () => {
    const { text } = await request(address).get("/metrics");
    for (const name of ["agents_connected 0", 'agent_connects_total{outcome="ready"} 1', "agent_call_seconds_count", "agent_bytes_total"])
      expect(text).toContain(name);
  });

  it("close connections with 4503 when the server ends, which waits for nothing more", async () => {
    const own = mkdtempSync(join(tmpdir(), "agents-"));
    const settings = readConfig({ PORT: "0", DATA_DIR: own, LOG_LEVEL: "silent" });
    const ending = await compose(settings, silentLog, () => {});
    const base = await ending.listen();
    const player = new AgentPlayer(await dialWebSocket(`${base.replace("http", "ws")}/agents/connect`), {
      agent: "none",
      privateKey: agentKeys().privateKey,
    });
    await player.next();
    const begunMs = systemClock.monotonicMs();
    const [{ code, reason }] = await Promise.all([player.closed(), ending.close()]);
    expect([code, JSON.parse(reason)]).toEqual([4503, { retryAfterMs: expect.any(Number) }]);
    expect(systemClock.monotonicMs() - begunMs).toBeLessThan(5_000);
    rmSync(own, { recursive: true });
  });

  it("are absent where agents are switched off", async () => {
    const off = mkdtempSync(join(tmpdir(), "agents-"));
    const other = await compose(readConfig({ PORT: "0", DATA_DIR: off, AGENTS: "off", LOG_LEVEL: "silent" }), silentLog, () => {});
    const base = await other.listen();
    expect((await request(base).post("/agents/enrol").send({})).status).toBe(404);
    await expect(dialWebSocket(`${base.replace("http", "ws")}/agents/connect`)).rejects.toThrow("404");
    await other.close();
    rmSync(off, { recursive: true });
  });
});
