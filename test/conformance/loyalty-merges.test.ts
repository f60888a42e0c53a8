import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eraseMember } from "../../src/loyalty/members/erase.ts";
import { idsOfPerson } from "../../src/loyalty/members/standing.ts";
import { mergeMembers } from "../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../src/operator/loyalty/find-member.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../support/loyalty-bench.ts";

/** More duplicates of one person than anybody makes by hand in a day. */
const DUPLICATES = 30;

describe("a person whose duplicates were merged one after the other, each into the next", () => {
  let bench: LoyaltyBench;
  const ids: string[] = [];
  beforeAll(async () => {
    bench = await LoyaltyBench.open();
    await bench.programme({});
    for (let number = 0; number < DUPLICATES; number += 1) {
      const personal = { name: `Duplicate${number} Person` };
      const { memberId } = await bench.members.enrol(LOYALTY_KEY, { identity: { syncId: `sync-${number}` }, personal, isNative: false });
      ids.push(memberId);
    }
    const services = { ...bench.services, programmes: bench.programmes };
    for (const [at, keptId] of ids.slice(1).entries())
      expect(await mergeMembers(services, LOYALTY_KEY, { keptId, goneId: ids[at] ?? "" }, "test")).toMatchObject({ kind: "merged" });
  });
  afterAll(() => bench.store.close());

  it("is the last member under every earlier id and name", async () => {
    const last = ids.at(-1);
    for (const id of ids) {
      expect(await memberNamed(bench, LOYALTY_KEY, id)).toMatchObject({ kind: "found", row: { id: last, status: "active" } });
      expect(await bench.members.find(LOYALTY_KEY, { platformId: id })).toMatchObject({ id: last });
    }
    expect((await bench.members.search(LOYALTY_KEY, "Duplicate0")).map(({ id }) => id)).toEqual([last]);
  });

  it("is nobody where damaged rows lead in a circle", async () => {
    const [one = "", two = ""] = ids;
    await bench.store.commit((tx) => tx.updateTable("loyalty_members").set({ merged_into: one }).where("id", "=", two).execute());
    expect(await bench.members.find(LOYALTY_KEY, { platformId: one })).toBeUndefined();
    await bench.store.commit((tx) =>
      tx
        .updateTable("loyalty_members")
        .set({ merged_into: ids[2] ?? "" })
        .where("id", "=", two)
        .execute(),
    );
  });

  it("is all of these members, and is erased in all of them", async () => {
    const person = await bench.store.read((db) => idsOfPerson(db, ids.at(-1) ?? ""));
    expect(person.toSorted()).toEqual(ids.toSorted());
    await eraseMember(bench.services, LOYALTY_KEY, ids[0] ?? "");
    const named = await bench.store.read((db) =>
      db.selectFrom("loyalty_members").select("id").where("personal_sealed", "is not", null).execute(),
    );
    expect(named).toEqual([]);
  });
});
