import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import { type MemberState, memberState } from "../../loyalty/kept-quotes/member-state.ts";
import { tillQuoteOf } from "../../loyalty/loyalty.ts";
import { asksForFolders, type ExpiryPeriod, type Programme } from "../../loyalty/programme/programme.ts";
import { quote } from "../../loyalty/quote/quote.ts";
import type { Traced } from "../../loyalty/quote/trace.ts";
import { type RecalcCall, type TillQuote, undiscounted } from "../../loyalty/till-call.ts";
import type { LoyaltyDesk } from "./services.ts";

export interface Tried {
  quote: TillQuote;
  /** The discount of the rules. */
  discountKopecks: number;
  trace: readonly Traced[];
  isMember: boolean;
}

/** Returns the account's programme, with its version. Version 0: none was set. */
export async function programmeInForce(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  key: InstallationKey,
): Promise<{ version: number; programme: Programme }> {
  await programmes.prepare(key);
  return services.store.read((db) => programmes.current(db, key));
}

/** Everything that a quote needs besides the programme. */
interface ReceiptContext {
  call: RecalcCall;
  state: MemberState | undefined;
  /** The expiry rules of lots, each with its period. */
  periods: readonly ExpiryPeriod[];
  groups: ReadonlyMap<string, readonly string[]>;
  zone: string;
  nowMs: number;
}

/** Quotes a receipt by a programme, as for a till. Nothing is stored. */
export async function tryReceipt(
  desk: Pick<LoyaltyDesk, "services" | "programmes">,
  call: RecalcCall,
  programme: Programme,
): Promise<Tried> {
  return quotedIn(await receiptContext(desk, call, [programme]), programme);
}

/** Reads the data for quotes of a receipt by any of these programmes. */
export async function receiptContext(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  call: RecalcCall,
  tried: readonly Programme[],
): Promise<ReceiptContext> {
  const { store, seal, clock, zoneOf, foldersOf } = services;
  const { key } = call.account;
  const { buyer } = call;
  const state = buyer === undefined ? undefined : await store.read((db) => memberState(db, seal, key, buyer));
  await programmes.prepare(key);
  const { periods } = await store.read((db) => programmes.current(db, key));
  const productIds = call.lines.map(({ productId }) => productId);
  const isAsked = state !== undefined && tried.some(asksForFolders);
  const groups = isAsked ? await foldersOf(key, productIds) : new Map<string, readonly string[]>();
  return { call, state, periods, groups, zone: await zoneOf(key, call.storeId), nowMs: clock.nowMs() };
}

/** Quotes a receipt. The context must have been read for this programme. */
export function quotedIn({ call, state, periods, groups, zone, nowMs }: ReceiptContext, programme: Programme): Tried {
  if (state === undefined) return { quote: undiscounted(call), discountKopecks: 0, trace: [], isMember: false };
  const quoted = quote({
    programme,
    member: { ...state.member, periods },
    storeId: call.storeId,
    zone,
    nowMs,
    positions: call.lines.map((line, source) => ({ ...line, source, groupIds: groups.get(line.productId) ?? [] })),
    transactionType: call.transactionType,
    ...present({ preferredPoints: call.wantedPoints }),
  });
  return { quote: tillQuoteOf(call, quoted), discountKopecks: quoted.discountKopecks, trace: quoted.trace, isMember: true };
}
