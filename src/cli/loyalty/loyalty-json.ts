import type { ListedMember } from "../../operator/loyalty/list-members.ts";
import type { MemberStory } from "../../operator/loyalty/member-story.ts";

/** Returns a row of `members --json`. Its form is fixed (payments surface 1). */
export function memberJson({ id, name, phone }: ListedMember) {
  return { id, name, phone: phone ?? null };
}

/**
 * Returns the content of `history --json`. Its form is fixed (payments surface 8). Moments are in ISO 8601. `expiresAt`: the first moment
 * at which the lot's points are no longer valid.
 */
export function storyJson({ row, balance, tier, lots, entries }: MemberStory) {
  return {
    member: row.id,
    balance: balance.availablePoints,
    pending: balance.pendingPoints,
    debt: balance.debtPoints,
    tier,
    lots: lots.map(({ original, remaining, activeFromMs, expiresAtMs, kind }) => ({
      points: original,
      remaining,
      activeFrom: isoOf(activeFromMs),
      expiresAt: expiresAtMs === null ? null : isoOf(expiresAtMs),
      kind,
    })),
    entries: entries.map(({ entry, document }) => ({
      number: entry.number,
      kind: entry.kind,
      points: entry.points,
      at: isoOf(entry.at_ms),
      document: document ?? null,
      trace: entry.trace === null ? null : (JSON.parse(entry.trace) as unknown),
    })),
  };
}

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
