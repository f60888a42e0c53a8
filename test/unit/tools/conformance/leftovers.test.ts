import { describe, expect, it } from "vitest";
import { select } from "../../../../src/tools/conformance/catalogue.ts";
import { wordsOfMet } from "../../../../src/tools/conformance/leftovers.ts";
import { AccountIds } from "../../../../src/tools/conformance/play/account-ids.ts";
import { examineDouble } from "../../../support/conformance-run.ts";
import { Double, honestly } from "../../../support/double-server.ts";
import { stateIs } from "../../../support/double-vendor.ts";

const groups = select("vendor/activation/status") ?? [];
const ACCOUNT = new AccountIds().next("vendor/activation");

describe("a leftover of another run", () => {
  it("is told of when its account is installed before this one begins", async () => {
    const double = new Double(honestly);
    double.vendor.installed.set(ACCOUNT, { accountId: ACCOUNT, state: "active" });
    const { met } = await examineDouble(undefined, { groups, double });
    expect(met).toEqual([
      expect.stringMatching(new RegExp(`^before the run account ${ACCOUNT} was installed already: another run .* shift is still open$`)),
    ]);
  });

  it("is told of when its account is there after this one has ended", async () => {
    const { met } = await examineDouble(
      async (request, honest, double) => {
        const reply = await honest(request);
        if (request.method === "DELETE") double.vendor.installed.set(ACCOUNT, { accountId: ACCOUNT, state: "active" });
        return reply;
      },
      { groups },
    );
    expect(met).toEqual([expect.stringMatching(new RegExp(`^after the run account ${ACCOUNT} was installed`))]);
  });

  it("is not made of what a server says of everybody, of those that were uninstalled, or not at all", async () => {
    for (const reply of [stateIs(), { status: 404, body: "" }, { status: 405, body: "" }]) {
      const { met } = await examineDouble(async (request, honest) => (request.method === "GET" ? reply : honest(request)), { groups });
      expect(met).toEqual([]);
    }
    expect(wordsOfMet([], ["1", "2", "3"])).toEqual([]);
  });
});
