import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { GROUPS, select, without } from "../../../../src/tools/conformance/catalogue.ts";
import { LIMITS } from "../../../../src/tools/conformance/conformance.ts";
import type { Judged } from "../../../../src/tools/conformance/run.ts";
import { makeSigningKey } from "../../../../src/tools/sandbox/caller/signing-key.ts";
import { signToken } from "../../../../src/tools/sandbox/caller/vendor-token.ts";
import { WHOLE_DESCRIPTOR } from "../../../support/broken-descriptor.ts";
import { registered } from "../../../support/broken-reading.ts";
import { BROKEN_VENDOR } from "../../../support/broken-vendor.ts";
import { dependantsOf, examineDouble } from "../../../support/conformance-run.ts";
import { type Incoming, objectIn } from "../../../support/double-message.ts";
import { type Break, type Double, HANG_UP } from "../../../support/double-server.ts";
import { DOUBLE_APP, stateIs } from "../../../support/double-vendor.ts";
import { EXTENT } from "../../../support/extent.ts";

const verdictOf = (judged: readonly Judged[], id: string) => judged.find(({ rule }) => rule.id === id)?.verdict;
const notHeld = (judged: readonly Judged[]) =>
  judged
    .filter(({ verdict }) => verdict.kind === "broken" || verdict.kind === "not-run")
    .map(({ rule, verdict }) => ({ [rule.id]: verdict }));
const stillInstalled = (double: Double) => [...double.vendor.installed.values()].filter(({ state }) => state !== "uninstalled");
const groupsNamed = (...ids: string[]) => GROUPS.filter(({ id }) => ids.includes(id));
const isActivation = (request: Incoming) => request.method === "PUT" && objectIn(request.body).cause === "Install";

const ALL = without("descriptor");
/** Of the rules that register, `npm test` runs only those about repeats. */
const REGISTERING = select(EXTENT === "long" ? "fiscal" : "fiscal/repeat") ?? [];

/** The time limit of about five hundred requests, which take three seconds without other load. */
const WHOLE_RUN_MS = 60_000;

describe("a conformance run", () => {
  // `npm test` runs a part of the rules, against the project's own server, in `test/contract/conformance.test.ts`.
  it.runIf(EXTENT === "long")(
    "finds nothing wrong with a server that is right, and leaves nothing on it",
    async () => {
      const { judged, left, drives, double } = await examineDouble(undefined, { groups: ALL });
      expect(notHeld(judged)).toEqual([]);
      expect(left).toEqual([]);
      expect(drives.length).toBeGreaterThan(3);
      expect(stillInstalled(double)).toEqual([]);
      expect(double.fiscal.openShifts).toBe(0);
    },
    WHOLE_RUN_MS,
  );

  it(
    "opens one shift at a time: one register may serve every account",
    async () => {
      const { judged, drives } = await examineDouble(undefined, { groups: REGISTERING, sharedRegister: true });
      expect(notHeld(judged)).toEqual([]);
      expect(drives).toHaveLength(1);
    },
    WHOLE_RUN_MS,
  );

  it(
    "comes again with the accounts that it had before, so that a server does not gather more of them",
    async () => {
      const groups = groupsNamed("vendor/activation", "vendor/deactivation", "fiscal/account", "fiscal/repeat");
      const first = await examineDouble(undefined, { groups });
      const accounts = [...first.double.vendor.installed.keys()];
      await first.double.close();
      // The second run signs with new keys, as every run does, because those of the run before may still be valid.
      const keys = [makeSigningKey(), makeSigningKey(), makeSigningKey()];
      const makeKey = () => {
        keys.push(...keys.splice(0, 1));
        return keys[0] ?? makeSigningKey();
      };
      const { judged, left, double } = await examineDouble(undefined, { groups, double: first.double, makeKey });
      expect([...double.vendor.installed.keys()]).toEqual(accounts);
      expect(accounts.length).toBeGreaterThan(20);
      expect([notHeld(judged), left]).toEqual([[], []]);
    },
    WHOLE_RUN_MS,
  );

  it(
    "puts back what it has taken out of a drawer, and takes out what it has put in",
    async () => {
      const moved = new Map<string, number>();
      const { left } = await examineDouble(
        async (request, honest) => {
          const [, kind] = /retaildrawercash(in|out)$/.exec(request.path) ?? [];
          const { meta, sum } = objectIn(request.body) as { meta?: { id: string }; sum?: string };
          const reply = await honest(request);
          const wrongly = kind === "out" && sum === "900000000";
          if (kind !== undefined && (reply.status === 200 || wrongly))
            moved.set(`${kind} ${meta?.id}`, kind === "in" ? Number(sum) : -Number(sum));
          return wrongly ? registered() : reply;
        },
        { groups: groupsNamed("fiscal/signature", "fiscal/amounts", "fiscal/drawer") },
      );
      expect([...moved.values()].filter((kopecks) => kopecks === -9_000_000_00)).toHaveLength(1);
      expect([...moved.values()].reduce((sum, kopecks) => sum + kopecks, 0)).toBe(0);
      expect(left).toEqual([]);
    },
    WHOLE_RUN_MS,
  );

  it("asks only for operations that the descriptor declares", async () => {
    const asked = new Set<string>();
    const descriptor = WHOLE_DESCRIPTOR.replace("</operationTypes>", "<retailDrawerCashIn/></operationTypes>").replace(
      "<retailSalesReturn/>",
      "",
    );
    const { judged } = await examineDouble(
      async (request, honest) => {
        if (request.path.startsWith("/fiscal/1/")) asked.add(request.path.slice("/fiscal/1/".length));
        return honest(request);
      },
      { descriptor, groups: select("fiscal/answer") ?? [] },
    );
    expect(asked).toEqual(new Set(["openshift", "retaildrawercashin", "retaildemand", "closeshift"]));
    expect(verdictOf(judged, "fiscal/answer/retaisalesreturn")).toMatchObject({ kind: "not-applicable" });
    expect(notHeld(judged)).toEqual([]);
  });

  it("does not judge what needs a broken rule, and names the one that is broken, whatever stands between", async () => {
    const { judged } = await examineDouble(BROKEN_VENDOR["vendor/activation/status"]?.().broken, { groups: without("descriptor") });
    const [broken, ...others] = judged;
    expect(broken?.verdict.kind).toBe("broken");
    expect(others.every(({ rule, verdict }) => verdict.kind === "not-run" && dependantsOf("vendor/activation/status").has(rule.id))).toBe(
      true,
    );
    expect(verdictOf(judged, "fiscal/path/served")).toEqual({
      kind: "not-run",
      why: "it says nothing while vendor/activation/status is not held; mend that first",
      behind: "vendor/activation/status",
    });
    expect(new Set(others.map(({ verdict }) => verdict.kind === "not-run" && verdict.behind))).toEqual(
      new Set(["vendor/activation/status"]),
    );
  });

  it("names what could not run for a reason of its own where nothing is broken", async () => {
    const { judged } = await examineDouble(undefined, { groups: select("fiscal/repeat/written-differently") ?? [], permission: "own-set" });
    expect(judged.slice(1).map(({ verdict }) => verdict.kind === "not-run" && verdict.behind)).toEqual([
      undefined,
      ...judged.slice(2).map(() => "fiscal/signature/accepted"),
    ]);
  });

  it("waits for a server that reports Activated by itself, and finds its calls in order", async () => {
    let calls = 0;
    const { judged } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        if (!isActivation(request) || reply.status !== 200) return reply;
        calls += 1;
        void reportActivated(request, calls);
        return stateIs("Activating");
      },
      { groups: [...(select("fiscal/signature/missing") ?? []), ...(select("vendor/own-calls") ?? []).slice(-1)] },
    );
    expect(notHeld(judged)).toEqual([]);
    expect(verdictOf(judged, "vendor/own-calls/token")).toEqual({ kind: "held" });
    expect(verdictOf(judged, "vendor/own-calls/status-once")).toEqual({ kind: "held" });
  });

  it("tells how to have the server's own calls judged where it makes none", async () => {
    const { judged } = await examineDouble(undefined, { groups: select("vendor/own-calls") ?? [] });
    const own = judged.filter(({ group }) => group === "vendor/own-calls");
    expect(own.map(({ verdict }) => verdict)).toEqual(
      own.map(() => ({
        kind: "not-applicable",
        why: expect.stringMatching(/To have its calls judged, .* Activating or SettingsRequired .* within 5 s.*--port N/),
      })),
    );
    expect(own.length).toBe(3);
  });

  it("tells what is left behind when an account cannot be removed", async () => {
    const { left } = await examineDouble(
      async (request, honest) => (request.method === "DELETE" ? { status: 500, body: "" } : honest(request)),
      { groups: select("vendor/activation/status") ?? [] },
    );
    expect(left).toEqual([
      expect.stringMatching(/^account [0-9a-f-]{36} may still be installed: DELETE with cause Uninstall was answered 500/),
    ]);
  });

  it("leaves nothing behind at a server that has no account which it refused to install", async () => {
    const { left } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        return request.method === "DELETE" && reply.status === 204 ? { status: 404, body: "" } : reply;
      },
      { groups: select("vendor/token") ?? [] },
    );
    expect(left).toEqual([]);
  });

  it("leaves nothing behind at a server that refused every call, whatever it says to the removal", async () => {
    for (const status of [401, 500]) {
      const { left } = await examineDouble(async () => ({ status, body: "" }), { groups: select("vendor/activation") ?? [] });
      expect(left).toEqual([]);
    }
  });

  it("tells of an account whose install was never answered, when its removal was not either", async () => {
    const { left } = await examineDouble(
      async (request, honest) => (request.path.startsWith("/vendor/") ? { status: HANG_UP, body: "" } : honest(request)),
      { groups: select("vendor/activation/status") ?? [] },
    );
    expect(left).toEqual([expect.stringMatching(/^account [0-9a-f-]{36} may still be installed: .* no answer/)]);
  });

  it("takes everything down when it is interrupted in the middle of a shift", async () => {
    const interruption = new AbortController();
    const { judged, left, double } = await examineDouble(undefined, {
      groups: without("descriptor"),
      signal: interruption.signal,
      done: ({ rule }) => {
        if (rule.id === "fiscal/signature/missing") interruption.abort();
      },
    });
    expect(verdictOf(judged, "fiscal/signature/nonsense")).toEqual({ kind: "not-run", why: "the run was interrupted" });
    expect(judged.at(-1)?.verdict.kind).toBe("not-run");
    expect(left).toEqual([]);
    expect(stillInstalled(double)).toEqual([]);
    expect(double.fiscal.openShifts).toBe(0);
  });
});

describe("what the run may register", () => {
  const groups = select("fiscal/signature") ?? [];
  const noting =
    (seen: string[]): Break =>
    (request, honest) => {
      if (request.path.startsWith("/fiscal/")) seen.push(request.path);
      return honest(request);
    };

  it("is nothing with credentials of one's own, and no fiscal request is sent", async () => {
    const seen: string[] = [];
    const { judged } = await examineDouble(noting(seen), { groups, permission: "own-set" });
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({
      kind: "not-run",
      why: expect.stringContaining("--registers-for-real"),
    });
    expect(seen).toEqual([]);
  });

  it("is nothing at a server that takes tokens signed with any secret", async () => {
    const seen: string[] = [];
    const { judged } = await examineDouble(
      async (request, honest) => {
        if (request.path.startsWith("/fiscal/")) seen.push(request.path);
        return request.path.startsWith("/vendor/") ? stateIs() : honest(request);
      },
      { groups },
    );
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({
      kind: "not-run",
      why: expect.stringContaining("vendor/token/wrong-secret"),
    });
    expect(seen).toEqual([]);
  });

  it("ends at the first drive that is not of the debug series, whose shift is left alone", async () => {
    const seen: string[] = [];
    const { judged, double } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        if (!request.path.startsWith("/fiscal/") || reply.status !== 200) return reply;
        seen.push(request.path);
        return { ...reply, body: String(reply.body).replace(/9999078\d{9}/, "7380440700000001") };
      },
      { groups },
    );
    expect(seen).toEqual(["/fiscal/1/openshift"]);
    const why = expect.stringMatching(/drive 7380440700000001.*not of the debug series.*still open: close it at the register/);
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({ kind: "not-run", why });
    expect(judged.at(-1)?.verdict).toEqual({ kind: "not-run", why });
    expect(stillInstalled(double)).toEqual([]);
  });

  it("is everything when the person who runs it says so", async () => {
    const { judged, drives } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        return { ...reply, body: String(reply.body).replace(/9999078\d{9}/, "7380440700000001") };
      },
      { groups, permission: "for-real" },
    );
    expect(notHeld(judged)).toEqual([]);
    expect(drives).toEqual(["7380440700000001"]);
  });

  it("is nothing on an account that is not active, and the words say how to make it so", async () => {
    const { judged } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        return isActivation(request) && reply.status === 200 ? stateIs("SettingsRequired") : reply;
      },
      { groups: select("fiscal/signature/accepted") ?? [], limits: { ...LIMITS, activationMs: 0 } },
    );
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({ kind: "not-run", why: expect.stringContaining("default register") });
  });
});

/** Reports as a solution does when its work in the background is done. */
async function reportActivated(request: Incoming, count: number): Promise<void> {
  const [access] = (objectIn(request.body).access ?? []) as { resource: string }[];
  const address = `${access?.resource.replace("/api/remap/1.2", "")}/api/vendor/1.0/apps/${request.path.split("/apps/")[1]}/status`;
  const token = signToken(
    { sub: DOUBLE_APP.appUid, iat: Math.floor(systemClock.nowMs() / 1000), jti: `report-${count}` },
    DOUBLE_APP.secretKey,
  );
  await fetch(address, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip" },
    body: JSON.stringify({ status: "Activated" }),
  });
}
