import { type Actor, OPERATOR, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import type { LoyaltyServices } from "../services.ts";
import { fingerprintOf } from "./member.ts";
import { type Alias, aliasesOf, deleteAliases, insertAlias, memberById, setTerms, updateMember } from "./member-queries.ts";
import { emptyMerges } from "./merge-queries.ts";
import type { Moved } from "./merge-schema.ts";
import { idsOfPerson, lockedMember } from "./standing.ts";

const NOTHING_MOVED: Moved = { aliases: [], lots: [], debtPoints: 0, back: [] };

/** `memberId`: the member that was erased. `not-standing`: there is no such member, or the member was erased before. */
type Erased = { kind: "erased"; memberId: string } | { kind: "not-standing" };

/**
 * Deletes the personal data of a member and of all members merged into this member: names, phones, e-mail addresses, birthday, search
 * terms. For a merged member, erases the member that remains. Aliases become hashes that no till request matches, so the same person can
 * become a new member. The ledger stays unchanged.
 */
export function eraseMember(
  { store, seal, clock }: Pick<LoyaltyServices, "store" | "seal" | "clock">,
  key: InstallationKey,
  memberId: string,
  actor: Actor = OPERATOR,
  reason?: string,
): Promise<Erased> {
  return store.commit(async (tx): Promise<Erased> => {
    const row = await memberById(tx, key, memberId);
    const member = row === undefined ? undefined : await lockedMember(tx, key, row);
    if (member === undefined) return { kind: "not-standing" };
    const ids = await idsOfPerson(tx, member.id);
    for (const id of ids) {
      const aliases = (await aliasesOf(tx, id)) as readonly (Alias & { member_id: string })[];
      await deleteAliases(tx, id, ["native", "sync", "phone", "card"]);
      for (const { kind, value } of aliases)
        await insertAlias(tx, key, { kind, value: fingerprintOf(seal, key, `erased:${id}:${kind}:${value}`) }, id);
      await setTerms(tx, key, id, []);
      await updateMember(tx, id, { personal_sealed: null, birthday: null, ...(id === member.id ? { status: "erased" } : {}) });
    }
    await emptyMerges(tx, ids, JSON.stringify(NOTHING_MOVED));
    await writeAudit(
      tx,
      { atMs: clock.nowMs(), key, actor },
      { act: "erase", subject: member.id, after: "erased", ...present({ reason }) },
    );
    return { kind: "erased", memberId: member.id };
  });
}
