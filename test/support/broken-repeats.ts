import {
  accountOf,
  at,
  atThirdTime,
  bodyOf,
  codeOf,
  counting,
  otherTime,
  paymentsOf,
  refuses,
  registered,
  takes,
} from "./broken-reading.ts";
import type { BrokenServers } from "./broken-vendor.ts";
import { fiscalError } from "./double-fiscal.ts";
import type { Reply } from "./double-message.ts";

export const BROKEN_REPEATS: BrokenServers = {
  "fiscal/repeat/same-answer": counting((times, request, reply) =>
    times === 2 && at(request, "retaildrawercashin") ? otherTime(reply) : undefined,
  ),
  "fiscal/repeat/registered-once": atThirdTime(1, (_reply, double) => void double.fiscal.skipNumber()),
  "fiscal/repeat/written-differently": refuses(({ body }) => body.includes("\n"), fiscalError(409, 50002)),
  "fiscal/repeat/other-content": takes(50002, ({ body }) => body.includes('"164.70"')),
  "fiscal/repeat/other-payment": takes(50002, (request) => paymentsOf(request).cardSum === "109.80"),
  "fiscal/repeat/other-goods": takes(50002, ({ body }) => body.includes("Спиральки")),
  "fiscal/repeat/other-cashier": takes(50002, ({ body }) => body.includes("Смирнова")),
  "fiscal/repeat/other-return": takes(50002, (request) => at(request, "retaisalesreturn")),
  "fiscal/repeat/other-cash": takes(50002, (request) => at(request, "retaildrawercashin")),
  "fiscal/repeat/other-id-type": takes(50002, ({ body }) => body.includes('"sync"')),
  "fiscal/repeat/after-refusal": () => {
    const refused = new Set<unknown>();
    return {
      broken: async (request, honest) => {
        const id = JSON.stringify(bodyOf(request).meta);
        if (refused.has(id)) return fiscalError(409, 50002);
        const reply = await honest(request);
        if (codeOf(reply) === 50001) refused.add(id);
        return reply;
      },
    };
  },
  "fiscal/repeat/refused-not-registered": counting((_times, _request, reply, double) =>
    codeOf(reply) === 50001 ? void double.fiscal.skipNumber() : undefined,
  ),
  "fiscal/repeat/at-once": atThirdTime(2, otherTime),
  "fiscal/repeat/shift": counting((times, request) => (times === 2 && at(request, "openshift") ? fiscalError(412, 51003) : undefined)),
  "fiscal/repeat/operations-apart": () => {
    const sales = new Map<string, Reply>();
    return {
      broken: async (request, honest) => {
        const id = String((bodyOf(request).meta as { id?: string } | undefined)?.id);
        const sale = at(request, "retaisalesreturn") ? sales.get(id) : undefined;
        if (sale !== undefined) return sale;
        const reply = await honest(request);
        if (reply.status === 200 && at(request, "retaildemand")) sales.set(id, reply);
        return reply;
      },
    };
  },
  "fiscal/repeat/new-registration": () => {
    const registrations = new Map<string, string>();
    return {
      broken: async (request, honest, double) => {
        if (!at(request, "retaildemand")) return honest(request);
        const key = `${double.vendor.byRegistration(accountOf(request))?.accountId} ${JSON.stringify(bodyOf(request).meta)}`;
        const before = registrations.get(key) ?? accountOf(request);
        registrations.set(key, before);
        return before === accountOf(request) ? honest(request) : registered({ fiscalDocNumber: "99" });
      },
    };
  },
  "fiscal/repeat/after-close": counting((times, request, _reply, double) =>
    times > 1 && at(request, "retaildemand") && double.fiscal.openShifts === 0 ? fiscalError(412, 51001) : undefined,
  ),
  "fiscal/repeat/other-path": () => {
    const seen = new Set<string>();
    return {
      broken: async (request, honest) => {
        const body = request.body.toString();
        if (at(request, "retailsalesreturn") && seen.has(body)) return registered();
        if (at(request, "retaisalesreturn")) seen.add(body);
        return honest(request);
      },
    };
  },
  "fiscal/repeat/accounts-apart": () => {
    const known = new Map<string, { account: string; reply: Reply }>();
    return {
      broken: async (request, honest) => {
        const id = JSON.stringify(bodyOf(request).meta);
        const other = at(request, "retaildemand") ? known.get(id) : undefined;
        if (other !== undefined && other.account !== accountOf(request)) return other.reply;
        const reply = await honest(request);
        if (reply.status === 200 && at(request, "retaildemand")) known.set(id, { account: accountOf(request), reply });
        return reply;
      },
    };
  },
};
