import { describe, expect, it } from "vitest";
import { namesOf } from "../../../../src/app/pages/place-names.ts";
import { nextTurn } from "../../../../src/kernel/clock.ts";

const PLACES = Array.from({ length: 2_000 }, (_, index) => ({ appId: "app", accountId: `account-${index}`, storeId: "store" }));

describe("the names of the places of a page", () => {
  it("are read a few at a time, however many places there are", async () => {
    let [running, most] = [0, 0];
    const read = async (name: string) => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      return name;
    };
    const names = await namesOf(
      {
        accounts: { installations: { get: async ({ accountId }) => ({ accountName: await read(`of ${accountId}`) }) as never } },
        shop: { storeNameOf: (_, storeId) => read(`shop ${storeId}`) },
      },
      PLACES,
    );
    expect(PLACES.map(names.accountName).slice(-2)).toEqual(["of account-1998", "of account-1999"]);
    expect(PLACES.map(names.storeName).slice(0, 1)).toEqual(["shop store"]);
    expect(most).toBeLessThanOrEqual(100);
  });

  it("leave other work room while they come from memory", async () => {
    let turns = 0;
    let done = false;
    const count = async () => {
      while (!done) {
        await nextTurn();
        turns += 1;
      }
    };
    const counting = count();
    await namesOf({ accounts: { installations: { get: async () => undefined } }, shop: { storeNameOf: async () => "shop" } }, PLACES);
    done = true;
    await counting;
    expect(turns).toBeGreaterThan(20);
  });
});
