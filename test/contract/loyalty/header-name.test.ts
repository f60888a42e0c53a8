import supertest from "supertest";
import { describe, expect, it } from "vitest";
import type { PlatformProfileName } from "../../../src/kernel/platform-profile.ts";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { LoyaltyContract, store } from "../../support/loyalty-contract.ts";

const CANONICAL = "Platform-Discount-API-Auth-Token";
const REAL = "Lognex-Discount-API-Auth-Token";

/** Asks for a quote of an empty receipt with the right key in this header. */
async function statusWith(profile: PlatformProfileName, header: string): Promise<number> {
  const till = await LoyaltyContract.open(await LoyaltyBench.open(), profile);
  const request = supertest(till.app).post("/loyalty/retaildemand/recalc").set("Content-Type", "application/json");
  return (await request.set(header, till.key).send(JSON.stringify({ ...store(), positions: [] }))).status;
}

describe("the header with the access key", () => {
  it("has the real platform's name under the production profile", async () => {
    expect(await statusWith("production", REAL)).toBe(200);
  });

  it("is not taken under the name of the other profile", async () => {
    expect(await statusWith("production", CANONICAL)).toBe(401);
    expect(await statusWith("canonical", REAL)).toBe(401);
  });
});
