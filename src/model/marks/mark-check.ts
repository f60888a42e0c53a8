/** The check results of a mark with which a point of sale sells the goods: the platform's own four modes (fiscal-receipts 4.7). */
export type MarkPolicy = "checked-correct" | "correct-or-unverifiable" | "checked" | "all";

export const MARK_POLICIES = ["checked-correct", "correct-or-unverifiable", "checked", "all"] as const satisfies readonly MarkPolicy[];

/** The result of tag 2106. */
export type MarkVerdict = "correct" | "wrong" | "unverified";

/** Both checks were made, by the drive and by the government's marking system, and both succeeded. */
const CORRECT = 0b1111;
/**
 * The bits of the two checks. Of the drive's check bit 0 says that it was made, and bit 1 that it succeeded. Bits 2 and 3 say the same of
 * the check by the government's marking system.
 */
const CHECKS = [
  { made: 0b0001, well: 0b0010 },
  { made: 0b0100, well: 0b1000 },
];

/** Returns the verdict. One failed check makes the mark wrong. When no check or only one check was made, the mark is unverified. */
export function verdictOf(check: number): MarkVerdict {
  if (CHECKS.some(({ made, well }) => (check & made) !== 0 && (check & well) === 0)) return "wrong";
  return (check & CORRECT) === CORRECT ? "correct" : "unverified";
}

/**
 * Why a mark with this result must not be sold, for the cashier. Undefined when it may be sold. Returns are never
 * refused for a check.
 */
export function denialOf(policy: MarkPolicy | undefined, check: number): string | undefined {
  if (policy === undefined || isSold(policy, check)) return undefined;
  return verdictOf(check) === "wrong" ? "код маркировки не прошёл проверку" : "код маркировки не удалось проверить";
}

/** Whether goods with an unreadable mark are sold. Such a mark cannot be checked. Without a chosen policy nobody has permitted the sale. */
export function sellsUnread(policy: MarkPolicy | undefined): boolean {
  return policy !== undefined && isSold(policy, NOTHING_CHECKED);
}

/** Tag 2106 when nothing was checked. */
const NOTHING_CHECKED = 0;

/** Whether a mark with this result may be sold. */
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
