import { pause, systemClock } from "../../src/kernel/clock.ts";
import { LIMITS } from "../../src/tools/conformance/conformance.ts";
import type { Limits } from "../../src/tools/conformance/play/scene.ts";
import { readToken, signToken } from "../../src/tools/sandbox/caller/vendor-token.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import type { Break } from "./double-server.ts";
import { DOUBLE_APP, stateIs, vendorError } from "./double-vendor.ts";

export interface BrokenServer {
  broken: Break;
  limits?: Limits;
}

/** Servers that break one rule each, by the rule's id. They are made anew for each run, because some remember requests. */
export type BrokenServers = Record<string, () => BrokenServer>;

/** Answers requests of one kind by itself, without the right server. */
export function instead(when: (request: Incoming) => boolean, reply: (request: Incoming) => Reply): () => BrokenServer {
  return () => ({ broken: async (request, honest) => (when(request) ? reply(request) : honest(request)) });
}

/** Changes the right answer. */
export function altered(change: (reply: Reply, request: Incoming) => Reply): () => BrokenServer {
  return () => ({ broken: async (request, honest) => change(await honest(request), request) });
}

const bodyOf = ({ body }: Incoming) => objectIn(body);
const put = (request: Incoming, cause?: string) => request.method === "PUT" && (cause === undefined || bodyOf(request).cause === cause);
const del = (request: Incoming, cause: string) => request.method === "DELETE" && bodyOf(request).cause === cause;
const accountOf = ({ path }: Incoming) => path.split("/").at(-1) ?? "";
const isBetween = (value: number, low: number, high: number) => value > low && value < high;
const nowS = () => systemClock.nowMs() / 1000;

/** The content of a token, whoever has signed it. */
function tokenOf({ headers }: Incoming): { header: Record<string, unknown>; claims: Record<string, unknown>; genuine: boolean } {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const [header, claims] = token.split(".").map((part) => objectIn(Buffer.from(part, "base64url")));
  return { header: header ?? {}, claims: claims ?? {}, genuine: readToken(token, DOUBLE_APP.secretKey).kind === "claims" };
}

/** Calls the platform as a solution does. `call` states what is wrong with the call. */
async function report(request: Incoming, call: { encoding?: string; claims?: object }): Promise<void> {
  const [access] = (bodyOf(request).access ?? []) as { resource: string }[];
  const base = access?.resource.replace("/api/remap/1.2", "");
  const claims = {
    sub: DOUBLE_APP.appUid,
    iat: Math.floor(nowS()),
    jti: `${accountOf(request)}-${Math.floor(nowS() * 1000)}`,
    ...call.claims,
  };
  await fetch(`${base}/api/vendor/1.0/apps/${DOUBLE_APP.appId}/${accountOf(request)}/status`, {
    method: "PUT",
    headers: { authorization: `Bearer ${signToken(claims, DOUBLE_APP.secretKey)}`, "accept-encoding": call.encoding ?? "gzip" },
    body: JSON.stringify({ status: "Activated" }),
  });
}

const reporting = (call: { encoding?: string; claims?: object }) => (): BrokenServer => ({
  broken: async (request, honest) => {
    if (put(request, "Install")) await report(request, call);
    return honest(request);
  },
});

/** Remembers the accounts for which the platform has sent a PUT (`seen`) or has uninstalled the solution (`stopped`). */
function rememberingAccounts(judge: (request: Incoming, seen: Set<string>, stopped: Set<string>) => Reply | undefined): () => BrokenServer {
  return () => {
    const [seen, stopped] = [new Set<string>(), new Set<string>()];
    return {
      broken: async (request, honest) => {
        const reply = judge(request, seen, stopped) ?? (await honest(request));
        if (put(request)) seen.add(accountOf(request));
        if (del(request, "Uninstall")) stopped.add(accountOf(request));
        return reply;
      },
    };
  };
}

export const BROKEN_VENDOR: BrokenServers = {
  "vendor/activation/status": instead(put, () => stateIs("Installed")),
  "vendor/activation/content-type": altered((reply, request) => (put(request) ? { ...reply, type: "text/plain" } : reply)),
  "vendor/activation/in-time": () => ({
    limits: { ...LIMITS, vendorMs: 20 },
    broken: async (request, honest) => {
      if (put(request, "Install")) await pause(systemClock, 40);
      return honest(request);
    },
  }),
  "vendor/activation/repeat": rememberingAccounts((request, seen) =>
    put(request, "Install") && seen.has(accountOf(request)) ? vendorError(409, "installed already") : undefined,
  ),
  "vendor/activation/optional-parts": instead(
    (request) => put(request, "Install") && bodyOf(request).subscription == null,
    () => vendorError(400, "subscription is missing"),
  ),
  "vendor/activation/unknown-fields": instead(
    (request) => "brandNew" in bodyOf(request),
    () => vendorError(400, "unknown field"),
  ),
  "vendor/activation/gzip": instead(
    ({ headers }) => headers["content-encoding"] === "gzip",
    () => vendorError(415, "no gzip here"),
  ),
  "vendor/activation/without-request-id": instead(
    (request) => put(request) && request.headers.x_platform_requestid === undefined,
    () => vendorError(400, "no request id"),
  ),
  "vendor/activation/unreadable-key": instead(
    ({ body }) => body.includes("this-is-no-key"),
    () => vendorError(400, "the key cannot be read"),
  ),
  "vendor/activation/tariff": instead(
    (request) => put(request, "Autoprolongation"),
    () => stateIs("SettingsRequired"),
  ),
  "vendor/activation/resume": instead(
    (request) => put(request, "Resume"),
    () => stateIs("SettingsRequired"),
  ),
  "vendor/activation/unknown-cause": instead(
    (request) => put(request, "MovedToAnotherRegion"),
    () => vendorError(400, "unknown cause"),
  ),

  "vendor/token/missing": instead(
    ({ headers }) => headers.authorization === undefined,
    () => stateIs(),
  ),
  "vendor/token/wrong-secret": instead(
    (request) => tokenOf(request).header.alg === "HS256" && !tokenOf(request).genuine,
    () => stateIs(),
  ),
  "vendor/token/algorithm": instead(
    (request) => tokenOf(request).header.alg === "HS512",
    () => stateIs(),
  ),
  "vendor/token/expired": instead(
    (request) => Number(tokenOf(request).claims.exp) < nowS(),
    () => stateIs(),
  ),
  "vendor/token/from-the-future": instead(
    (request) => Number(tokenOf(request).claims.iat) > nowS() + 60,
    () => stateIs(),
  ),
  "vendor/token/claims": instead(
    (request) => tokenOf(request).genuine && tokenOf(request).claims.jti === undefined,
    () => stateIs(),
  ),
  "vendor/token/skew": instead(
    (request) => Number(tokenOf(request).claims.iat) > nowS() + 1,
    () => vendorError(401, "issued in the future"),
  ),
  "vendor/token/skew-limit": instead(
    (request) => {
      const { exp, iat } = tokenOf(request).claims;
      return isBetween(nowS() - Number(exp), 60, 300) || isBetween(Number(iat) - nowS(), 60, 300);
    },
    () => stateIs(),
  ),
  "vendor/token/unknown-app": instead(
    ({ path }) => path.startsWith("/vendor/") && !path.includes(DOUBLE_APP.appId),
    () => stateIs(),
  ),
  "vendor/token/used-twice": instead(
    (request) => bodyOf(request).accountName === "somebody-else",
    () => stateIs(),
  ),
  "vendor/token/retry": () => {
    const seen = new Set<unknown>();
    return {
      broken: async (request, honest) => {
        const { jti } = tokenOf(request).claims;
        if (jti !== undefined && seen.has(jti)) return vendorError(401, "the token was used before");
        seen.add(jti);
        return honest(request);
      },
    };
  },
  "vendor/token/error-shape": altered((reply) => (reply.status === 401 ? { ...reply, body: '{"message":"Unauthorized"}' } : reply)),

  "vendor/body/app-uid": instead(
    (request) => bodyOf(request).appUid === "another-solution.vendor",
    () => stateIs(),
  ),
  "vendor/body/no-json": altered((reply, { body }) =>
    reply.status === 400 && body.length === 0 ? vendorError(500, "unexpected end") : reply,
  ),
  "vendor/body/no-cause": instead(
    (request) => put(request) && bodyOf(request).appUid !== undefined && bodyOf(request).cause === undefined,
    () => stateIs(),
  ),
  "vendor/body/error-shape": altered((reply) => (reply.status === 400 ? vendorError(400, "the body is wrong") : reply)),
  "vendor/body/large": instead(
    ({ body }) => body.length > 500_000,
    () => vendorError(413, "too large"),
  ),
  "vendor/body/too-large": altered((reply) => (reply.status === 413 ? stateIs() : reply)),

  "vendor/deactivation/suspend": instead(
    (request) => del(request, "Suspend"),
    () => vendorError(500, "oh"),
  ),
  "vendor/deactivation/uninstall": altered((reply, request) =>
    del(request, "Uninstall") && reply.status === 200 ? { ...reply, body: '{"ok":true}' } : reply,
  ),
  "vendor/deactivation/repeat": rememberingAccounts((request, _seen, stopped) =>
    del(request, "Uninstall") && stopped.has(accountOf(request)) ? vendorError(404, "not installed") : undefined,
  ),
  "vendor/deactivation/never-installed": rememberingAccounts((request, seen) =>
    del(request, "Uninstall") && !seen.has(accountOf(request)) ? vendorError(404, "not installed") : undefined,
  ),
  "vendor/deactivation/unknown-cause": instead(
    (request) => del(request, "MovedToAnotherRegion"),
    () => vendorError(400, "unknown cause"),
  ),
  "vendor/deactivation/re-install": rememberingAccounts((request, _seen, stopped) =>
    put(request, "Install") && stopped.has(accountOf(request)) ? vendorError(409, "was removed") : undefined,
  ),
  "vendor/deactivation/probe": instead(
    ({ method, path }) => method === "GET" && path.startsWith("/vendor/"),
    () => stateIs(),
  ),

  "vendor/event/permissions": instead(
    ({ path }) => path.includes("/platform/") && path.endsWith("/event"),
    () => vendorError(404, "no event"),
  ),
  "vendor/event/other-path": instead(
    ({ path }) => path.startsWith("/vendor/api/vendor/"),
    () => vendorError(404, "no such address"),
  ),
  "vendor/event/button": instead(
    ({ path }) => path.endsWith("/button"),
    () => vendorError(400, "no such button"),
  ),
  "vendor/event/scenario": instead(
    ({ path }) => path.endsWith("/scenario"),
    () => vendorError(500, "no such action"),
  ),

  "vendor/own-calls/gzip": reporting({ encoding: "identity" }),
  "vendor/own-calls/token": reporting({ claims: { sub: "somebody.else" } }),
  "vendor/own-calls/status-once": reporting({}),
};
