import type { InstallationKey } from "../../accounts/installation.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Seal } from "../../security/seal.ts";
import type { RowPlace } from "../../store/columns.ts";
import { jsonIn } from "../../store/columns.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { MAX_PERSONAL_LENGTH, type Personal, personalSchema, tooLongIn } from "./personal-schema.ts";

type MemberStatus = "active" | "blocked" | "merged" | "erased";

interface Member {
  id: string;
  status: MemberStatus;
  /** Month and day: MM-DD. */
  birthday?: string;
  createdAtMs: number;
}

const STATUSES: readonly MemberStatus[] = ["active", "blocked", "merged", "erased"];

/** Throws `loyalty-member-unreadable` when the stored status is unknown. */
export function memberOf(row: MemberRow): Member {
  const status = STATUSES.find((each) => each === row.status);
  if (status === undefined) throw new Failure("loyalty-member-unreadable", "fault", `Member ${row.id} is ${row.status}`);
  return { id: row.id, status, createdAtMs: row.created_at_ms, ...(row.birthday === null ? {} : { birthday: row.birthday }) };
}

/** Opens the personal data of a member. Undefined: erased. Throws `seal-key`, `seal-broken` or `loyalty-member-unreadable`. */
export function personalOf(row: MemberRow, seal: Pick<Seal, "open">): Personal | undefined {
  if (row.personal_sealed === null) return undefined;
  const place: RowPlace = { failure: "loyalty-member-unreadable", table: "loyalty_members", row: row.id };
  return jsonIn(place, "personal_sealed", seal.open(row.personal_sealed, personalPlace(row.id)), personalSchema);
}

/**
 * Seals personal data for the row of this member. Throws `loyalty-personal-too-long` with the name of the text that is too long. The texts
 * are bounded because a list, a search and an export hold many members in memory.
 */
export function sealPersonal(memberId: string, personal: Personal, seal: Pick<Seal, "seal">): string {
  const [tooLong] = tooLongIn(personal);
  if (tooLong !== undefined)
    throw new Failure("loyalty-personal-too-long", "caller", `A member's ${tooLong} has at most ${MAX_PERSONAL_LENGTH} characters`);
  return seal.seal(JSON.stringify(personal), personalPlace(memberId));
}

function personalPlace(memberId: string): string {
  return `loyalty_members/${memberId}/personal`;
}

/** Returns the keyed hash of a text such as a phone, a card or a word of a name. The hash differs between installations. */
export function fingerprintOf(seal: Pick<Seal, "fingerprint">, { appId, accountId }: InstallationKey, text: string): string {
  return seal.fingerprint(text, `loyalty/${appId}/${accountId}`);
}
