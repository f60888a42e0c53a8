import type { BrokenServers } from "./broken-vendor.ts";
import { loyaltyError } from "./double-loyalty.ts";
import type { Incoming, Reply } from "./double-message.ts";
import type { Break, Double } from "./double-server.ts";

type Change = Reply | ((reply: Reply, request: Incoming, double: Double) => Reply);

export const isLoyalty = ({ path }: Incoming) => path.startsWith("/loyalty/");
const keyOf = ({ headers }: Incoming) => headers["platform-discount-api-auth-token"];

/** Gives a wrong answer to a loyalty request when the condition holds. */
export function loyalty(when: (request: Incoming, reply: Reply, double: Double) => boolean, change: Change): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      if (!isLoyalty(request) || !when(request, reply, double)) return reply;
      return typeof change === "function" ? change(reply, request, double) : change;
    },
  });
}

/** Answers, or changes the request, before the right server does anything. */
export function before(judge: (request: Incoming, double: Double) => Reply | Incoming | undefined): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) => {
      const judged = isLoyalty(request) ? judge(request, double) : undefined;
      if (judged === undefined) return honest(request);
      return "status" in judged ? judged : honest(judged);
    },
  });
}

export const BROKEN_LOYALTY_KEYS: BrokenServers = {
  "loyalty/key/accepted": loyalty((_, reply) => reply.status === 200, loyaltyError(401, 999)),
  "loyalty/key/missing": loyalty((request, reply) => reply.status === 401 && keyOf(request) === undefined, loyaltyError(403, 999)),
  "loyalty/key/wrong": loyalty((request, reply) => reply.status === 401 && keyOf(request) === "another-key", loyaltyError(404, 404)),
  "loyalty/key/new": () => {
    let first: string | undefined;
    return {
      // A server whose key never changes: it refuses every key but the first.
      broken: async (request, honest, double) => {
        const reply = await honest(request);
        if (isLoyalty(request) && first !== undefined && keyOf(request) !== first && double.loyalty.keys.has(keyOf(request) ?? ""))
          return loyaltyError(401, 999);
        if (isLoyalty(request)) first ??= keyOf(request);
        return reply;
      },
    };
  },
  "loyalty/key/overlap": before((request, { loyalty: server }) => {
    const key = server.keys.get(keyOf(request) ?? "");
    return key !== undefined && key.untilMs < Number.POSITIVE_INFINITY ? loyaltyError(401, 999) : undefined;
  }),
  "loyalty/key/suspended": before((request, { loyalty: server, vendor }) => {
    const state = vendor.installed.get(server.accountOf(request) ?? "")?.state;
    return state === "suspended" ? loyaltyError(401, 999) : undefined;
  }),
  "loyalty/key/uninstalled": loyalty(
    (request, reply, { loyalty: server }) => reply.status === 401 && server.keys.has(keyOf(request) ?? ""),
    { status: 200, body: "{}" },
  ),
};
