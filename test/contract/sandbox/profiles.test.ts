import { describe, expect, it, onTestFinished } from "vitest";
import { rawRequest } from "../../support/raw-request.ts";
import { Receiver } from "../../support/receiver.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

// json-api 16: the behaviour of the seed document under `canonical`, and of the live service under `production`.

/** Lists that have rows in a new shop, and resources with datetimes of their own. */
const DATED = "product service variant bundle counterparty employee organization store retailstore uom assortment productfolder".split(" ");

const watch = (sandbox: TestSandbox, url: string) =>
  sandbox.call("POST", "entity/webhook", { url, action: "CREATE", entityType: "product" });
const outcome = (answer: SandboxAnswer) => (answer.status === 200 ? 200 : [answer.status, answer.at("errors", 0, "code")]);

/** Every datetime of a JSON text, in the form that the platform writes. */
const datetimesIn = (text: string) => text.match(/"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?"/g) ?? [];

interface Decision {
  number: string;
  see(sandbox: TestSandbox): Promise<unknown>;
  canonical: unknown;
  production: unknown;
}

const DECISIONS: readonly Decision[] = [
  {
    number: "D1: the agent of notifications",
    async see(sandbox) {
      const receiver = await Receiver.open();
      onTestFinished(() => receiver.close());
      await watch(sandbox, receiver.url);
      await sandbox.call("POST", "entity/product", { name: "Чай" });
      const [first] = await receiver.until(1);
      return / webhook touch agent (\S+) /.exec(String(first?.headers["user-agent"]))?.[1];
    },
    canonical: "1.0",
    production: "2.0",
  },
  {
    number: "D3: Accept values, each with its outcome",
    async see(sandbox) {
      const taken: string[] = [];
      for (const accept of ["*/*", "application/json", "application/json;charset=utf-8", "text/html, application/json; charset=UTF-8"]) {
        const headers = { authorization: "Bearer test-token", "accept-encoding": "gzip", accept };
        const answer = await rawRequest("GET", `${sandbox.api}/entity/uom?limit=1`, headers);
        if (answer.status === 200) taken.push(accept);
        else expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ code: 1062 }] }]);
      }
      return taken.length;
    },
    canonical: 4,
    production: 3,
  },
  {
    number: "D4: datetimes of every type without the header, and of an asynchronous task: as many as have milliseconds",
    async see(sandbox) {
      await sandbox.call("GET", "entity/assortment?async=true");
      await expect.poll(async () => (await sandbox.call("GET", "async")).at("rows", 0, "state")).toBe("DONE");
      const found = new Set<boolean>();
      for (const path of [...DATED.map((type) => `entity/${type}?limit=10`), "async"]) {
        const { text } = await sandbox.call("GET", path);
        const datetimes = datetimesIn(text);
        expect(datetimes.length, path).toBeGreaterThan(0);
        for (const each of datetimes) found.add(each.includes("."));
      }
      return [...found];
    },
    canonical: [false],
    production: [true],
  },
  {
    number: "D4: datetimes with the header that says no",
    async see(sandbox) {
      const headers = { "x-platform-format-millisecond": "false", "x-lognex-format-millisecond": "false" };
      const { text } = await sandbox.call("GET", "entity/product?limit=1", undefined, headers);
      return datetimesIn(text).every((each) => each.includes("."));
    },
    canonical: false,
    production: true,
  },
  {
    number: "D18: webhooks of one pair, each with another address, and one with an address that is there",
    async see(sandbox) {
      const outcomes: unknown[] = [];
      for (const name of ["a", "b", "b", "c", "d", "e", "f"]) outcomes.push(outcome(await watch(sandbox, `https://hooks.example/${name}`)));
      return outcomes;
    },
    canonical: [200, ...Array(6).fill([412, 30003])],
    production: [200, 200, [412, 30003], 200, 200, 200, [412, 30007]],
  },
];

const cases = DECISIONS.flatMap(({ number, see, ...seen }) =>
  (["canonical", "production"] as const).map((profile) => ({ number, see, profile, seen: seen[profile] })),
);

describe("the profile", () => {
  it.each(cases)("$profile decides $number", async ({ see, profile, seen }) => {
    const sandbox = await testSandbox({ profile });
    onTestFinished(() => sandbox.close());
    expect(await see(sandbox)).toEqual(seen);
  });
});
