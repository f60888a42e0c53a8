/** The check result that a point of sale requires to sell marked goods: the platform's own four modes (fiscal-receipts 4.7). */
export type MarkPolicy = "checked-correct" | "correct-or-unverifiable" | "checked" | "all";

export const MARK_POLICIES = ["checked-correct", "correct-or-unverifiable", "checked", "all"] as const satisfies readonly MarkPolicy[];

export type MarkVerdict = "correct" | "wrong" | "unverified";

/** Tag 2106 when both checks of a mark, by the drive and by the government's marking system, were made and succeeded. */
const CORRECT = 0b1111;
/**
 * The bits of tag 2106. Bit 0: the drive made its check. Bit 1: the drive's check succeeded. Bits 2 and 3: the same for the check by the
 * government's marking system.
 */
const CHECKS = [
  { made: 0b0001, well: 0b0010 },
  { made: 0b0100, well: 0b1000 },
];

/** `check`: tag 2106. One failed check makes the mark wrong. Otherwise a check that was not made leaves the mark unverified. */
export function verdictOf(check: number): MarkVerdict {
  if (CHECKS.some(({ made, well }) => (check & made) !== 0 && (check & well) === 0)) return "wrong";
  return (check & CORRECT) === CORRECT ? "correct" : "unverified";
}

/**
 * Returns, in words for the cashier, why goods whose mark has this result (tag 2106) must not be sold. Undefined when they may be sold.
 * Callers ask only for sales: goods are always taken back.
 */
export function denialOf(policy: MarkPolicy | undefined, check: number): string | undefined {
  if (policy === undefined || isSold(policy, check)) return undefined;
  return verdictOf(check) === "wrong" ? "код маркировки не прошёл проверку" : "код маркировки не удалось проверить";
}

/** Whether goods with an unreadable mark are sold. Such a mark cannot be checked, so the sale needs a chosen policy that permits it. */
export function sellsUnread(policy: MarkPolicy | undefined): boolean {
  return policy !== undefined && isSold(policy, NOTHING_CHECKED);
}

/** Tag 2106 without any check. */
const NOTHING_CHECKED = 0;

function isSold(policy: MarkPolicy, check: number): boolean {
  const verdict = verdictOf(check);
  switch (policy) {
    case "checked-correct":
      return verdict === "correct";
    case "correct-or-unverifiable":
      return verdict !== "wrong";
    case "checked":
      return verdict !== "unverified";
    case "all":
      return true;
  }
}
