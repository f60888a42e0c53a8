import { accountOf, bodyOf, isFiscal } from "./broken-reading.ts";
import type { BrokenServer, BrokenServers } from "./broken-vendor.ts";
import { fiscalError } from "./double-fiscal.ts";
import type { Incoming } from "./double-message.ts";

interface FiscalApi {
  id?: string;
  token?: string;
}

const fiscalApiOf = (request: Incoming): FiscalApi => ({
  ...(bodyOf(request).additional as { fiscalApi?: FiscalApi } | undefined)?.fiscalApi,
});

/** A server that cannot read keys of this kind. */
const blindTo = (is: (token: string) => boolean) => (): BrokenServer => ({
  broken: async (request, honest) => {
    const { id, token = "" } = fiscalApiOf(request);
    if (!is(token)) return honest(request);
    const body = { ...bodyOf(request), additional: { fiscalApi: { id, token: "unreadable" } } };
    return honest({ ...request, body: Buffer.from(JSON.stringify(body)) });
  },
});

/** A server that forgets the account's keys when a request with this cause brings none. A right server keeps them. */
const forgetsKeyAt = (at: string) => (): BrokenServer => ({
  broken: async (request, honest, double) => {
    const reply = await honest(request);
    const account = double.vendor.installed.get(request.path.split("/").at(-1) ?? "");
    const { cause, additional } = bodyOf(request);
    if (account === undefined || cause !== at || additional !== undefined) return reply;
    delete account.key;
    delete account.formerKey;
    return reply;
  },
});

export const BROKEN_KEYS: BrokenServers = {
  "fiscal/key/weak": () => {
    const weak = new Set<string | undefined>();
    return {
      broken: async (request, honest) => {
        const { id, token = "" } = fiscalApiOf(request);
        if (token.length > 200 && token.length < 300) weak.add(id);
        return isFiscal(request) && weak.has(accountOf(request)) ? fiscalError(412, 999) : honest(request);
      },
    };
  },
  "fiscal/key/armoured": blindTo((token) => token.includes("BEGIN PUBLIC KEY")),
  "fiscal/key/pkcs1": blindTo((token) => token.startsWith("MIIBCgKCAQEA")),
  "fiscal/key/certificate": blindTo((token) => token.includes("BEGIN CERTIFICATE")),
  "fiscal/account/tariff-keeps-key": forgetsKeyAt("TariffChanged"),
  "fiscal/account/resume-keeps-key": forgetsKeyAt("Resume"),
};
