import { gzipSync } from "node:zlib";
import type { Call } from "../../sandbox/caller/call.ts";
import type { LoyaltyCustomer, LoyaltyLine, LoyaltyPlace, SoldLoyaltyLine } from "../../sandbox/caller/loyalty/bodies.ts";
import { type LoyaltyCallName, loyaltyCall } from "../../sandbox/caller/loyalty/call.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import type { Sent } from "../exchanges/sent.ts";
import type { Account, AccountServices } from "./account.ts";
import type { Base } from "./target.ts";

interface LoyaltyConnection {
  readonly base: Base;
  readonly key: string;
}

/** Differences from the platform's call. Null omits a header. */
export interface LoyaltyChange {
  key?: string | null;
  bytes?: Buffer;
  method?: Call["method"];
  /** The path below the programme's address, with the query. */
  path?: string;
  contentType?: string | null;
  gzip?: boolean;
  /** The report's words for the difference. */
  label?: string;
}

/** The number of random digits in a phone number. They follow the country code and the 9 of mobile networks. */
const PHONE_DIGITS = 9;

/** A till of an account with a loyalty programme. Each till has a separate point of sale. */
export class LoyaltyTill {
  readonly connection: LoyaltyConnection;
  readonly place: LoyaltyPlace;
  /** Undefined: the command line named the account, so the run neither installs nor removes it. */
  readonly account: Account | undefined;
  readonly #services: AccountServices;

  constructor(services: AccountServices, connection: LoyaltyConnection, account: Account | undefined) {
    this.#services = services;
    this.connection = connection;
    this.account = account;
    this.place = { api: `${services.platform.base}/api/remap/1.2`, storeId: services.chance.uuid() };
  }

  newId(): string {
    return this.#services.chance.uuid();
  }

  /** Returns a new buyer with a random phone number, whom the programme does not know. */
  newCustomer(): LoyaltyCustomer {
    const digits = this.#services.chance.bytes(8).readBigUInt64LE() % 10n ** BigInt(PHONE_DIGITS);
    const phone = `+79${String(digits).padStart(PHONE_DIGITS, "0")}`;
    return { id: this.newId(), syncId: this.newId(), name: "Проверка Соответствия", phone };
  }

  line(priceKopecks: number, quantityThousandths: number, serials?: readonly string[]): LoyaltyLine {
    return { assortmentId: this.newId(), priceKopecks, quantityThousandths, ...(serials === undefined ? {} : { serials }) };
  }

  /** `content`: the body, or the query of a GET. */
  send(name: LoyaltyCallName, content: object, change: LoyaltyChange = {}): Promise<Sent> {
    const { base, key } = this.connection;
    const { exchanges, target } = this.#services;
    const { loyaltyHeader } = target.solution.names;
    const call = loyaltyCall(name, content, { header: loyaltyHeader, token: change.key ?? key });
    return exchanges.send("loyalty", base.origin, changed(call, base.path, loyaltyHeader, change), change.label ?? "");
  }
}

function changed(call: Call, base: string, keyHeader: string, change: LoyaltyChange): Call {
  const { method = call.method, bytes = call.body, contentType, gzip = false } = change;
  const { [keyHeader]: key = "", "content-type": type = "", ...headers } = call.headers;
  const sentType = contentType === undefined ? type : contentType;
  const body = method === "GET" || bytes === undefined ? undefined : bytes;
  return {
    method,
    path: `${base}${change.path ?? call.path}`,
    headers: {
      ...headers,
      ...(change.key === null ? {} : { [keyHeader]: key }),
      ...(sentType === null || sentType === "" ? {} : { "content-type": sentType }),
      ...(gzip ? { "content-encoding": "gzip" } : {}),
    },
    ...(body === undefined ? {} : { body: gzip ? gzipSync(body) : body }),
  };
}

/** Returns the position sold without a discount. */
export function undiscounted(line: LoyaltyLine): SoldLoyaltyLine {
  return { ...line, discountedKopecks: line.priceKopecks, percentHundredths: 0 };
}

/** Returns the error for a missing programme address, with a remedy. */
export function notConnected(accountId: string): CannotRun {
  return new CannotRun(
    `the server did not say where the programme of account ${accountId} is: it sent no PUT …/loyalty to the platform's side after Install. Switch the ` +
      "programme on for this account, whose id is the same in every run, and let the server call the platform's side (--port fixes the port), or give " +
      "--account and --loyalty-key of an account whose programme is on.",
  );
}
