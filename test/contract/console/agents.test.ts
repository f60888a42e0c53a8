import { describe, expect, it, onTestFinished } from "vitest";
import { auditLines, OPERATOR } from "../../../src/accounts/audit.ts";
import { AGENT_ACCOUNT, AgentBench } from "../../support/agents-bench.ts";
import { agentKeys } from "../../support/agents-player.ts";
import { consoleScene, hiddenIn } from "../../support/console-scene.ts";

async function scene() {
  let bench: AgentBench | undefined;
  const opened = await consoleScene(undefined, {
    agents: async (store) => {
      bench = await AgentBench.open(store);
      return bench;
    },
  });
  if (bench === undefined) throw new Error("the scene has made no agents");
  const { hub } = bench;
  onTestFinished(() => hub.close());
  await opened.installations.activate(AGENT_ACCOUNT, { accountName: "Пекарня" }, "active");
  const person = opened.browser();
  await person.logIn();
  const lights = async () => {
    const { text } = await person.get("/agents");
    return Object.fromEntries(
      [...text.matchAll(/data-agent="([^"]+)"><h2><span class="light" data-light="([^"]+)"/g)].map(([, ...row]) => row),
    );
  };
  return { ...opened, bench, person, lights };
}

const DEVICE = { serialNumber: "0001", driveNumber: "9999078900000001" };

describe("agents at the console", () => {
  it("get a code that is shown with the command for the shop", async () => {
    const { person, bench } = await scene();
    const page = await person.get("/agents");
    expect(page.text).toContain('data-page="agents"');
    const form = { csrf: hiddenIn(page.text, "csrf"), name: "shop7", account: `${AGENT_ACCOUNT.appId}/${AGENT_ACCOUNT.accountId}` };
    const made = await person.post("/agents", form);
    const [, code = ""] = /data-value="code">([^<]+)</.exec(made.text) ?? [];
    expect(code).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/);
    expect(made.text).toContain(`--code ${code}`);
    expect((await person.get("/agents")).text).not.toContain(code);
    const request = { code, publicKey: agentKeys().publicKey, version: "1", host: "h" };
    expect((await bench.enrolment.enrol(request, "192.0.2.1")).kind).toBe("enrolled");
    const taken = await person.post("/agents", form);
    expect([taken.status, taken.text.includes("Такой агент уже есть")]).toEqual([422, true]);
  });

  it.each([
    [{ name: "Shop 7" }, "name"],
    [{ name: "shop7", account: "nobody" }, "account"],
  ])("get no code for %j", async (typed, name) => {
    const { person } = await scene();
    const answer = await person.post("/agents", { csrf: await person.csrf("/agents"), ...typed });
    expect(answer.status).toBe(422);
    expect(new RegExp(`name="${name}"[^>]*aria-invalid="true"[^>]*autofocus`).test(answer.text)).toBe(true);
  });

  it("have one light each, by what they are doing", async () => {
    const { bench, lights, person } = await scene();
    await bench.enrol("new");
    await bench.connect(await bench.enrol("works"));
    const away = await bench.connect(await bench.enrol("away"));
    away.wire.cut();
    await bench.stored();
    const other = await bench.enrol("replaced");
    await bench.connect(other);
    await bench.stored();
    await bench.hub.admit("replaced", "main", DEVICE);
    await bench.hub.admit("replaced", "main", { ...DEVICE, serialNumber: "0002" });
    expect(await lights()).toEqual({ new: "grey", works: "green", away: "red", replaced: "red" });
    // Each number has a line of its own on the page.
    expect((await person.get("/agents")).text).toMatch(
      /№\u00a00001<br>ФН\u00a09999078900000001<\/dd><dt>Сейчас стоит<\/dt><dd>№\u00a00002<br>/,
    );
  });

  it("are revoked too when they were enrolled and never connected, and a name with a code alone is not", async () => {
    const { bench, person } = await scene();
    await bench.enrol("new");
    await bench.enrolment.issue({ name: "coded", key: AGENT_ACCOUNT, minutes: 15, replace: false, actor: OPERATOR });
    const { text } = await person.get("/agents");
    expect(text).toContain('data-agent="coded"');
    expect([...text.matchAll(/action="\/console\/agents\/([a-z]+)\/revoke"/g)].map(([, name]) => name)).toEqual(["new"]);
  });

  it("have a replaced device accepted, and are revoked once a person is sure", async () => {
    const { bench, person, lights, till } = await scene();
    const { player } = await bench.connect(await bench.enrol("shop7"));
    await bench.stored();
    await bench.hub.admit("shop7", "main", DEVICE);
    await bench.hub.admit("shop7", "main", { ...DEVICE, driveNumber: "9999078900000002" });
    const csrf = await person.csrf("/agents");
    const accepted = await person.post("/agents/shop7/accept", { csrf, register: "main" });
    expect([accepted.status, accepted.text.includes("9999078900000002"), await lights()]).toEqual([200, true, { shop7: "green" }]);
    expect((await person.post("/agents/shop7/accept", { csrf, register: "main" })).status).toBe(409);
    expect((await person.post("/agents/shop7/revoke", { csrf })).status).toBe(422);
    expect((await person.post("/agents/shop7/revoke", { csrf, sure: "1" })).status).toBe(200);
    expect((await player.closed()).code).toBe(4403);
    expect(await lights()).toEqual({ shop7: "grey" });
    expect((await person.post("/agents/nobody/revoke", { csrf, sure: "1" })).status).toBe(404);
    const lines = await auditLines(till.store, { limit: 2 });
    expect(lines).toMatchObject([
      { actor: "anna", act: "agent", subject: "shop7", after: "revoked" },
      { actor: "anna", act: "agent", subject: "agent:shop7", after: "0001 9999078900000002" },
    ]);
  });
});
