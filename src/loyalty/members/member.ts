import type { InstallationKey } from "../../accounts/installation.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Seal } from "../../security/seal.ts";
import type { RowPlace } from "../../store/columns.ts";
import { jsonIn } from "../../store/columns.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { type Personal, personalSchema } from "./personal-schema.ts";

type MemberStatus = "active" | "blocked" | "merged" | "erased";

/** A member without personal data. */
interface Member {
  id: string;
  status: MemberStatus;
  /** MM-DD. */
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

/** Opens the personal data of a member. Undefined: it was erased. Throws `seal-key`, `seal-broken` or `loyalty-member-unreadable`. */
export function personalOf(row: MemberRow, seal: Pick<Seal, "open">): Personal | undefined {
  if (row.personal_sealed === null) return undefined;
  const place: RowPlace = { failure: "loyalty-member-unreadable", table: "loyalty_members", row: row.id };
  return jsonIn(place, "personal_sealed", seal.open(row.personal_sealed, personalPlace(row.id)), personalSchema);
}

/** Seals personal data for the row of this member. `personalOf` opens it. */
export function sealPersonal(memberId: string, personal: Personal, seal: Pick<Seal, "seal">): string {
  return seal.seal(JSON.stringify(personal), personalPlace(memberId));
}

function personalPlace(memberId: string): string {
  return `loyalty_members/${memberId}/personal`;
}

/** Returns the keyed hash of a text such as a phone, a card or a word of a name. The hash differs between installations. */
export function fingerprintOf(seal: Pick<Seal, "fingerprint">, { appId, accountId }: InstallationKey, text: string): string {
  return seal.fingerprint(text, `loyalty/${appId}/${accountId}`);
}
