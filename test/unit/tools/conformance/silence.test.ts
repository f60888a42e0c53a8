import { describe, expect, it } from "vitest";
import { select } from "../../../../src/tools/conformance/catalogue.ts";
import { exitCodeOf } from "../../../../src/tools/conformance/report.ts";
import type { Judged } from "../../../../src/tools/conformance/run.ts";
import { examineDouble } from "../../../support/conformance-run.ts";
import { objectIn } from "../../../support/double-message.ts";
import { HANG_UP } from "../../../support/double-server.ts";

const verdictOf = (judged: readonly Judged[], id: string) => judged.find(({ rule }) => rule.id === id)?.verdict;
const brokenIn = (judged: readonly Judged[]) => judged.filter(({ verdict }) => verdict.kind === "broken").map(({ rule }) => rule.id);
const cut = { status: HANG_UP, body: "" };

describe("a server that does not answer", () => {
  it("is called over a connection of its own each time, so that none can be closed by then", async () => {
    const connections = new Set<string | undefined>();
    await examineDouble(
      async (request, honest) => {
        connections.add(request.headers.connection);
        return honest(request);
      },
      { groups: select("vendor/activation") ?? [] },
    );
    expect([...connections]).toEqual(["close"]);
  });

  it("breaks no rule by a call that is lost, also when the answer after it is another for that reason", async () => {
    const { judged, left } = await examineDouble(
      async (request, honest) => {
        const isLost = request.path.endsWith("/openshift") && "openMoment" in objectIn(request.body) && request.path.includes("/fiscal/");
        return isLost ? cut : honest(request);
      },
      { groups: select("fiscal/signature/accepted") ?? [], permission: "for-real" },
    );
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({
      kind: "not-run",
      why: expect.stringMatching(/^no answer: .+ after \d+ ms$/),
    });
    expect([brokenIn(judged), exitCodeOf({ judged, left })]).toEqual([[], 2]);
  });

  it.each([
    ["qr/token", "/payment/state", ["qr/token/accepted"]],
    ["qr/token/jti", "/payment/state", ["qr/token/accepted"]],
    ["fiscal/repeat/shift", "/closeshift", ["fiscal/repeat/shift"]],
    ["vendor/token/retry", "/vendor/", ["vendor/token/retry"]],
  ])("holds no rule of %s by calls of %s that got no answer", async (group, path, rules) => {
    const { judged } = await examineDouble(
      async (request, honest) => (request.path.includes(path) && request.method !== "GET" ? cut : honest(request)),
      { groups: select(group) ?? [], permission: "for-real" },
    );
    for (const rule of rules) expect([rule, verdictOf(judged, rule)?.kind]).toEqual([rule, "not-run"]);
  });

  it("is not asked any more once it takes no connection, and the rule is named", async () => {
    let calls = 0;
    const { judged, left } = await examineDouble(
      async (request, honest, double) => {
        // A run begins with a GET that belongs to no rule. The rules of this part send no GET.
        if (request.method !== "GET") calls += 1;
        if (request.headers.authorization === "Bearer nonsense") void double.close();
        return honest(request);
      },
      { groups: select("vendor/token") ?? [] },
    );
    const rest = judged.slice(judged.findIndex(({ rule }) => rule.id === "vendor/token/wrong-secret"));
    expect(rest.map(({ verdict }) => verdict)).toEqual(
      rest.map(() => ({ kind: "not-run", why: expect.stringMatching(/^the server is gone since vendor\/token\/(missing|wrong-secret)/) })),
    );
    expect([brokenIn(judged), exitCodeOf({ judged, left })]).toEqual([[], 2]);
    expect(calls).toBeLessThan(8);
  });

  it("is blamed for the close of a shift that failed by every rule that gets no shift after it", async () => {
    const closes: string[] = [];
    const { judged } = await examineDouble(
      async (request, honest) => {
        if (!request.path.endsWith("/closeshift")) return honest(request);
        closes.push(request.body.toString());
        return { status: 503, body: "" };
      },
      { groups: select("fiscal/signature/nonsense") ?? [], permission: "for-real", sharedRegister: true },
    );
    expect(verdictOf(judged, "fiscal/signature/accepted")).toEqual({ kind: "held" });
    expect(verdictOf(judged, "fiscal/signature/nonsense")).toEqual({
      kind: "not-run",
      why: expect.stringMatching(
        /was not closed: closeshift was answered 503.* during fiscal\/signature\/accepted; mend fiscal\/answer\/closeshift first/,
      ),
    });
    expect(closes.length).toBeGreaterThan(1);
    expect(new Set(closes).size).toBe(1);
  });
});

describe("a refusal with a code of the wrong type", () => {
  it("is broken in words of what is there and what is expected, before any rule that looks for the code", async () => {
    const { judged } = await examineDouble(
      async (request, honest) => {
        const reply = await honest(request);
        return request.path.startsWith("/fiscal/") ? { ...reply, body: String(reply.body).replace(/"code":(\d+)/, '"code":"$1"') } : reply;
      },
      { groups: select("fiscal/path") ?? [] },
    );
    expect(brokenIn(judged)).toEqual(["fiscal/error/shape"]);
    expect(verdictOf(judged, "fiscal/error/shape")).toMatchObject({
      seen: expect.stringMatching(/^code is the text "12017", a whole number is expected: 412/),
    });
  });
});
