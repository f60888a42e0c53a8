import type { InstallationKey } from "../../accounts/installation.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import type { ProgrammeReading } from "../../loyalty/programme/read-programme.ts";
import { type Quote, type QuoteMember, quote } from "../../loyalty/quote/quote.ts";
import type { LoyaltyDesk } from "./services.ts";

/** An invented receipt and buyer. */
export interface Sample {
  storeId: string;
  /** `goodsId`: the id of a product or a folder. Empty: goods that no rule names. */
  lines: readonly { goodsId: string; quantityMillionths: number; priceKopecks: number }[];
  /** `hasBirthday`: the sale is on the member's birthday. */
  member: { points: number; tier: string | null; hasBought: boolean; hasBirthday: boolean };
  transactionType: "EARNING" | "SPENDING";
}

interface SampleLine {
  productId: string;
  groupIds: readonly string[];
  quantityMillionths: number;
  priceKopecks: number;
  source: number;
}

type Previewed = { kind: "quoted"; quote: Quote<SampleLine> } | Extract<ProgrammeReading, { kind: "refused" }>;

/** Quotes an invented receipt by a programme that is not in force. Nothing is stored, and no member is read. */
export async function previewProgramme(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  key: InstallationKey,
  text: string,
  { storeId, lines, member, transactionType }: Sample,
): Promise<Previewed> {
  const reading = programmes.examine(text);
  if (reading.kind === "refused") return reading;
  const nowMs = services.clock.nowMs();
  const zone = await services.zoneOf(key, storeId);
  const positions = lines.map(({ goodsId, ...line }, source): SampleLine => {
    // The id may name a product or a folder. The line gets the id for both, so the rules find the line in either case.
    return { productId: goodsId, groupIds: goodsId === "" ? [] : [goodsId], ...line, source };
  });
  const quoted = quote({
    programme: reading.programme,
    member: memberWith(member, nowMs, zone),
    storeId,
    zone,
    nowMs,
    positions,
    transactionType,
  });
  return { kind: "quoted", quote: quoted };
}

/** The points of an invented member never expire: the sample shows one receipt only. */
function memberWith({ points, tier, hasBought, hasBirthday }: Sample["member"], nowMs: number, zone: string): QuoteMember {
  const lot = { number: 1, kind: "granted", original: points, remaining: points, activeFromMs: nowMs, expiresAtMs: null } as const;
  return {
    status: "active",
    lots: points === 0 ? [] : [lot],
    debtPoints: 0,
    tier,
    hasBought,
    ...(hasBirthday ? { birthday: wallTimeAt(nowMs, zone).slice(5, 10) } : {}),
  };
}
