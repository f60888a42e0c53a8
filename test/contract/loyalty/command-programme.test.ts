import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { LoyaltyContract, position, recalc, sale } from "../../support/loyalty-contract.ts";
import { LoyaltyCommandDesk } from "../../support/loyalty-desk.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const ACCOUNT = LOYALTY_KEY.accountId;
const OTHER = { assortment: { meta: { id: "aa01b2c3-0000-46f7-8899-aabbccddeeff", href: "" } }, quantity: 1, price: 500 };

let bench: LoyaltyBench;
let till: LoyaltyContract;
let desk: LoyaltyCommandDesk;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  desk = new LoyaltyCommandDesk(bench);
  await till.enrol();
});

function file(name: string, content: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

const programme = (content: object) => file("programme.json", JSON.stringify(content));
const receipts = (...bodies: object[]) => file("receipts.jsonl", bodies.map((body) => `${JSON.stringify(body)}\n`).join(""));

describe("a receipt that is tried", () => {
  it("has what a till would be answered, and leaves nothing behind", async () => {
    await till.post("/retaildemand", sale("s1"));
    const body = recalc({ bonusProgram: { transactionType: "SPENDING" } });
    const answered = (await till.post("/retaildemand/recalc", body)).body;
    await bench.store.commit((tx) => tx.deleteFrom("loyalty_quotes").execute());
    const { value } = await desk.json("try", ACCOUNT, receipts(body));
    expect(value).toEqual({ ...answered, trace: [] });
    await bench.quotes.flush();
    expect(await bench.store.read((db) => db.selectFrom("loyalty_quotes").selectAll().execute())).toHaveLength(1);
  });

  it("counts rules about folders as the till does", async () => {
    await bench.programme({ rules: [{ id: "tea", effect: "percent", value: 10, when: { groups: ["folder"] } }] });
    bench.folders = new Map([["aa01b2c3-d4e5-46f7-8899-aabbccddeeff", ["folder"]]]);
    const { value } = await desk.json("try", ACCOUNT, receipts(recalc({ positions: [position(3, 96), OTHER] })));
    expect(value).toMatchObject({
      positions: [
        { discountPercent: 10, discountedPrice: 86.4 },
        { discountPercent: 0, discountedPrice: 500 },
      ],
      trace: [{ rule: "tea", matched: true }],
    });
  });

  it("with a wrong line ends with 1 and names the line", async () => {
    const path = receipts(recalc(), recalc({ positions: [{ quantity: 1 }] }));
    expect(await desk.run("try", ACCOUNT, path)).toEqual({
      code: 1,
      out: [],
      err: [`${path}: line 2 is no body of recalc: positions.0.assortment is missing or wrong`],
    });
  });
});

describe("two programmes over a file of receipts", () => {
  const small = recalc({ positions: [position(1, 100)] });
  const large = recalc({ positions: [position(10, 100)] });

  it("are compared receipt by receipt, with the sums of both", async () => {
    await bench.programme({ earnPercent: 5 });
    const against = programme({
      earnPercent: 5,
      rules: [{ id: "ten", effect: "percent", value: 10, when: { leastTotalKopecks: 50_000 } }],
    });
    const path = receipts(small, large, recalc({ agent: undefined }));
    const nothing = { spendPoints: 0, paidByPointsKopecks: 0 };
    expect(await desk.json("try", ACCOUNT, path, "--against", against)).toEqual({
      code: 0,
      value: {
        receipts: 3,
        different: [
          {
            receipt: 2,
            now: { ...nothing, discountKopecks: 0, earnPoints: 50 },
            against: { ...nothing, discountKopecks: 10_000, earnPoints: 45 },
          },
        ],
        now: { ...nothing, discountKopecks: 0, earnPoints: 55 },
        against: { ...nothing, discountKopecks: 10_000, earnPoints: 50 },
      },
    });
    const { out } = await desk.run("try", ACCOUNT, path, "--against", against);
    expect(out.at(-1)).toBe("1 of 3 receipts differ");
    expect((await desk.json("programme", "show", ACCOUNT)).value).toMatchObject({ rules: [] });
  });

  it("are both given the folders of the goods, which are asked for once", async () => {
    let asked = 0;
    const foldersOf = async () => {
      asked += 1;
      // As if the platform's first answer had come too late.
      return new Map(asked === 1 ? [] : [["aa01b2c3-d4e5-46f7-8899-aabbccddeeff", ["folder"]]]);
    };
    desk.services = { ...bench.services, foldersOf };
    const rules = [{ id: "tea", effect: "percent", value: 10, when: { groups: ["folder"] } }];
    await bench.programme({ rules });
    const { value } = await desk.json("try", ACCOUNT, receipts(small), "--against", programme({ rules }));
    expect(value).toMatchObject({ different: [] });
    expect(asked).toBe(1);
  });

  it("are not compared where the other one is refused", async () => {
    const { code, err } = await desk.run("try", ACCOUNT, receipts(small), "--against", programme({ earnPercent: 101 }));
    expect(code).toBe(1);
    expect(err[0]).toMatch(/^The programme is refused: earnPercent /);
  });
});

describe("the key of tills", () => {
  const answer = async (key: string) => (await till.post("/retaildemand/recalc", recalc(), { key })).status;

  it("that was rotated counts at once, and the one before for ten minutes more", async () => {
    expect(await desk.run("key", "rotate", ACCOUNT)).toMatchObject({ code: 0, out: ["The platform knows the loyalty programme"] });
    expect(await auditLines(bench.store, { limit: 1 })).toMatchObject([
      { actor: "operator", act: "key", subject: "loyalty", after: "new" },
    ]);
    const [rotated = ""] = desk.tokens;
    expect(await answer(rotated)).toBe(200);
    await bench.clock.advance(599_000);
    expect(await answer(till.key)).toBe(200);
    await bench.clock.advance(2_000);
    expect([await answer(till.key), await answer(rotated)]).toEqual([401, 200]);
  });

  it("that the platform does not take leaves the one before in force, for as long as that lasts", async () => {
    desk.platformTakes = false;
    const { code, value } = await desk.json("key", "rotate", ACCOUNT);
    expect({ code, value }).toEqual({ code: 1, value: { outcome: "failed", said: expect.stringContaining("cannot be reached") } });
    await bench.clock.advance(86_400_000);
    expect(await answer(till.key)).toBe(200);
    desk.platformTakes = true;
    expect((await desk.run("key", "rotate", ACCOUNT)).code).toBe(0);
    await bench.clock.advance(600_000);
    expect(await Promise.all([till.key, ...desk.tokens].map(answer))).toEqual([401, 401, 200]);
  });
});
