import { actNoter, OPERATOR } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { eraseMember } from "../../loyalty/members/erase.ts";
import { memberById as memberWithId } from "../../loyalty/members/member-queries.ts";
import { type MergeResult, mergeMembers, undoMerge } from "../../loyalty/transfers/merge.ts";
import { type FoundMember, memberNamed } from "../../operator/loyalty/find-member.ts";
import { grantPoints } from "../../operator/loyalty/grant-points.ts";
import { memberList } from "../../operator/loyalty/list-members.ts";
import { memberStory } from "../../operator/loyalty/member-story.ts";
import type { LoyaltyDesk } from "../../operator/loyalty/services.ts";
import type { MemberRow } from "../../store/loyalty-tables.ts";
import { type CommandIo, lineByLine } from "../command.ts";
import { memberJson, storyJson } from "./loyalty-json.ts";
import { memberLines, storyLines } from "./tables.ts";
import { grantObstacleText, mergeObstacleText } from "./words.ts";

/** The maximum number of listed members. A part of the name or an export shows further members. */
const LIST_LIMIT = 1_000;
/** The author of this command's ledger entries and programme versions. */
export const ACTOR = "operator";

export interface Called {
  desk: LoyaltyDesk;
  key: InstallationKey;
  json: boolean;
  io: CommandIo;
}

export async function listPeople({ desk, key, json, io }: Called, text: string | undefined): Promise<number> {
  const { members, more } = await memberList(desk, key, { limit: LIST_LIMIT, ...(text === undefined ? {} : { text }) });
  if (json) {
    await noteListed(desk, key, { members: members.length, isSearch: text !== undefined });
    io.out(JSON.stringify(members.map(memberJson), undefined, 2));
  } else if (members.length === 0) io.out("There are no such members.");
  else for (const line of memberLines(members)) lineByLine(io).out(line);
  if (more) io.err("There may be more: type more of the name, or take an export");
  return 0;
}

/** Records in the audit how many names and phones are given out. Leaves out the text of a search, which may name a person. */
async function noteListed(desk: LoyaltyDesk, key: InstallationKey, listed: { members: number; isSearch: boolean }): Promise<void> {
  const reason = listed.isSearch ? { reason: "q=•••" } : {};
  await actNoter(desk.services)(
    { key, actor: OPERATOR },
    { act: "export", subject: "members", after: `${listed.members} rows`, ...reason },
  );
}

export async function history(called: Called, member: string): Promise<number> {
  const { desk, key, json, io } = called;
  const found = await memberNamed(desk, key, member);
  if (found.kind === "none") return noMember(called);
  const story = await memberStory(desk, key, found.row);
  if (json) io.out(JSON.stringify(storyJson(story), undefined, 2));
  else for (const line of storyLines(story)) lineByLine(io).out(line);
  return 0;
}

/** Grants points to a member. A negative number deducts points. Exit code 1: nothing was changed. */
export async function grant(called: Called, member: string, order: { points: number; reason: string }): Promise<number> {
  return onMember(called, member, async (row) => {
    const { desk, key, json, io } = called;
    const granted = await grantPoints(desk, { key, actor: ACTOR }, row, order);
    if (granted.kind === "refused") {
      if (json) io.out(JSON.stringify({ outcome: "refused", ...granted.because }, undefined, 2));
      else io.err(`Nothing was changed: ${grantObstacleText(granted.because)}`);
      return 1;
    }
    const { balancePoints, debtPoints } = granted;
    if (json)
      io.out(
        JSON.stringify(
          { outcome: "granted", member: row.id, points: order.points, balance: balancePoints, debt: debtPoints },
          undefined,
          2,
        ),
      );
    else
      io.out(
        `${order.points > 0 ? "Granted" : "Deducted"} ${Math.abs(order.points)}: the balance is ${balancePoints}${debtPoints === 0 ? "" : `, the debt ${debtPoints}`}`,
      );
    return 0;
  });
}

/** Erases the personal data of a member. Exit code 1: there is no such member. */
export async function erase(called: Called, member: string): Promise<number> {
  return onMember(called, member, async (row) => {
    const { desk, key, json, io } = called;
    const erased = await eraseMember(desk.services, key, row.id);
    if (erased.kind === "not-standing") return noMember(called);
    if (json) io.out(JSON.stringify({ outcome: "erased", member: erased.memberId }, undefined, 2));
    else io.out("Everything that tells who the member is was erased; the ledger stays");
    return 0;
  });
}

/** Merges two members, or undoes a merge. Exit code 1: nothing was changed. */
export async function merge(called: Called, { keep, gone, undo }: { keep: string; gone: string; undo: boolean }): Promise<number> {
  const { desk, key, json, io } = called;
  const kept = await memberNamed(desk, key, keep);
  const other = undo ? await goneNamed(called, gone) : await memberNamed(desk, key, gone);
  if (kept.kind !== "found" || other.kind !== "found") return noMember(called);
  const services = { ...desk.services, programmes: desk.programmes };
  const ids = { keptId: kept.row.id, goneId: other.row.id };
  const result = await (undo ? undoMerge : mergeMembers)(services, key, ids, ACTOR);
  if (json) io.out(JSON.stringify(mergeJson(result, ids), undefined, 2));
  else if (result.kind === "refused") io.err(`Nothing was changed: ${mergeObstacleText(result.because)}`);
  else {
    const debt = result.debtPoints === 0 ? "" : ` and a debt of ${result.debtPoints}`;
    io.out(
      `${result.kind === "merged" ? "Merged" : "Undone"}: ${result.points} points${debt} moved ${result.kind === "merged" ? "to" : "back from"} ${ids.keptId}`,
    );
  }
  return result.kind === "refused" ? 1 : 0;
}

/**
 * Finds a member that was merged into another member. Such a member is found only by this server's id: `memberNamed` would return the
 * member that remained.
 */
async function goneNamed({ desk, key }: Called, text: string): Promise<FoundMember> {
  const row = await desk.services.store.read((db) => memberWithId(db, key, text));
  return row === undefined ? { kind: "none" } : { kind: "found", row };
}

function mergeJson(result: MergeResult, { keptId, goneId }: { keptId: string; goneId: string }) {
  if (result.kind === "refused") return { outcome: "refused", ...result.because };
  return { outcome: result.kind, kept: keptId, gone: goneId, points: result.points, debt: result.debtPoints };
}

async function onMember(called: Called, member: string, work: (row: MemberRow) => Promise<number>): Promise<number> {
  const found = await memberNamed(called.desk, called.key, member);
  return found.kind === "found" ? work(found.row) : noMember(called);
}

function noMember({ io, json }: Called): number {
  if (json) io.out(JSON.stringify({ outcome: "no-member" }, undefined, 2));
  io.err("There is no such member; see `loyalty members`");
  return 1;
}
