import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import { refused } from "../call/refusal.ts";
import type { SandboxSettings } from "../settings.ts";
import { CATALOGUE } from "../types/catalogue.ts";
import { RETAILSHIFT } from "../types/documents/retailshift.ts";
import { elementsIn, type Reference, referenceIn, type Stored } from "../values/stored.ts";
import { createObject, type WriteRequest } from "../writing/write.ts";

export interface TillDocumentParts {
  readonly account: Account;
  /** Returns the origin for hrefs. */
  readonly base: () => string;
  readonly settings: SandboxSettings;
}

/**
 * Returns the call for a till's write. The caller is the first cashier of the point of sale, or the first employee, with administrator
 * rights. No webhook is muted.
 */
export function callOfTill(store: Stored | undefined, { account, base, settings }: TillDocumentParts): Call {
  const employee = cashierOf(store, account);
  const login = account.objects.pointedBy({ ...employee })?.values.uid;
  return {
    version: "1.2",
    base: base(),
    localBase: base(),
    api: `${base()}/api/remap/1.2`,
    caller: { kind: "user", employee, login: typeof login === "string" ? login : "", administrator: true },
    query: new URLSearchParams(),
    language: "ru",
    milliseconds: false,
    precise: false,
    mutedWebhooks: [],
    settings,
  };
}

/** Returns the request for a till's write at this point of sale, now. */
export function requestOf(store: Stored, parts: TillDocumentParts): WriteRequest {
  const { account } = parts;
  return { reading: { account, catalogue: CATALOGUE, call: callOfTill(store, parts) }, nowMs: account.clock.nowMs() };
}

function cashierOf(store: Stored | undefined, account: Account): Reference {
  const [cashier] = elementsIn(store?.values.cashiers);
  const [someone] = account.objects.all("employee").values();
  return referenceIn(cashier?.values.employee) ?? { type: "employee", id: someone?.id ?? "" };
}

/**
 * Returns the open shift of the point of sale. Opens a shift if needed. Throws a `Refusal` if no shift can be opened. Must run inside a
 * commit.
 */
export function shiftFor(store: Stored, request: WriteRequest): Stored {
  return openShiftOf(store, request.reading.account) ?? openedShift(store, request);
}

/** Returns the open shift, the newest of several (json-api D25). */
function openShiftOf(store: Stored, account: Account): Stored | undefined {
  return [...account.objects.all("retailshift").values()].findLast(
    ({ values }) => referenceIn(values.retailStore)?.id === store.id && values.closeDate === undefined && values.deleted === undefined,
  );
}

function openedShift(store: Stored, request: WriteRequest): Stored {
  const organization = referenceIn(store.values.organization);
  if (organization === undefined) throw refused(3000, "organization");
  return createObject(RETAILSHIFT, { retailStore: reference(store, request), organization: reference(organization, request) }, request);
}

/** Returns a reference in the form of request bodies. */
export function reference({ type, id }: Reference, { reading }: WriteRequest): object {
  return { meta: { href: `${reading.call.api}/entity/${type}/${id}`, type } };
}
