import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import { newestInSteps } from "../kernel/work/newest-in-steps.ts";
import type { Store } from "../store/database.ts";
import { type AuditRow, type AuditSearch, auditAmong, auditStep, insertAudit, linesOfSmallAccount } from "./audit-queries.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

/** Who acts. `place`: where the act was requested; `server` means that no person requested it. */
export interface Actor {
  name: string;
  place: "page" | "command" | "server";
}

/** The person who runs a command on the server's machine. */
export const OPERATOR: Actor = { name: "operator", place: "command" };

/** The platform, by a call of the vendor contract. */
export const PLATFORM: Actor = { name: "platform", place: "server" };

/** The server, at its start or after a person's change. */
export const SERVER: Actor = { name: "server", place: "server" };

/** The person of this name. The operator acts by a command, everybody else on a page. */
export function actorNamed(name: string): Actor {
  return name === OPERATOR.name ? OPERATOR : { name, place: "page" };
}

/** The value of the columns of app and account when an act concerns all accounts. */
export const EVERY_ACCOUNT = "*";

/** What was done, without secrets. */
export interface Act {
  /** The point of sale of the act. `*`: all points of sale. Absent: the act concerns no point of sale. */
  storeId?: string;
  act:
    | "setting"
    | "settle"
    | "leave-out"
    | "correct"
    | "report"
    | "refund"
    | "grant"
    | "programme"
    | "erase"
    | "merge"
    | "import"
    | "gift-card"
    | "key"
    | "agent"
    | "installation"
    | "export";
  /** What the act is about, for example the name of a setting, the id of a payment, or the cause of an installation's change. */
  subject: string;
  before?: string;
  after?: string;
  reason?: string;
}

/** Writes a line of the audit. Call it in the transaction of the described change, so that both are stored or neither. */
export async function writeAudit(tx: Db, at: { atMs: number; key: InstallationKey; actor: Actor }, act: Act): Promise<void> {
  const { atMs, key, actor } = at;
  await insertAudit(tx, {
    at_ms: atMs,
    app_id: key.appId,
    account_id: key.accountId,
    store_id: act.storeId ?? null,
    actor: actor.name,
    place: actor.place,
    act: act.act,
    subject: act.subject,
    before: act.before ?? null,
    after: act.after ?? null,
    reason: act.reason ?? null,
  });
}

export type NoteAct = (whose: { key: InstallationKey; actor: Actor }, act: Act) => Promise<void>;

/**
 * Returns a function that writes a line of the audit in its own commit. Use it for an act that is more than one commit, such as a document
 * of a register. Write the line before the act: then no act lacks its line, even if the process dies. The act may still fail afterwards.
 */
export function actNoter({ store, clock }: { store: Pick<Store, "commit">; clock: Pick<Clock, "nowMs"> }): NoteAct {
  return (whose, act) => store.commit((tx) => writeAudit(tx, { ...whose, atMs: clock.nowMs() }, act));
}

export interface ReadAudit {
  atMs: number;
  actor: string;
  /** The kind of the act: `setting`, `refund`, … */
  act: string;
  subject: string;
  before?: string;
  after?: string;
  reason?: string;
}

/** Returns the lines of a point of sale, newest first. The store id `*` returns the lines that name all points of sale. */
export async function auditOf(store: Pick<Store, "read">, key: InstallationKey, storeId: string, limit: number): Promise<ReadAudit[]> {
  const wanted = { whose: key, storeId, limit };
  return (await newestInSteps<{ id: number }, AuditRow>(limit, (step) => store.read((db) => auditStep(db, wanted, step)))).map(readOf);
}

/** A line of the audit, for the operator of the server. */
export interface AuditLine extends ReadAudit, InstallationKey {
  id: number;
  storeId?: string;
  /** Where the act was requested: `page`, `command` or `server`. */
  place: string;
}

export type { AuditSearch };

/** Returns the matching lines, newest first. */
export async function auditLines(store: Pick<Store, "read">, wanted: AuditSearch): Promise<AuditLine[]> {
  return (await foundLines(store, wanted)).map((row) => ({
    ...readOf(row),
    id: row.id,
    appId: row.app_id,
    accountId: row.account_id,
    ...(row.store_id === null ? {} : { storeId: row.store_id }),
    place: row.place,
  }));
}

/** Looks through the audit in steps, because it has no index for most members of a search. A small account is read without steps. */
async function foundLines(store: Pick<Store, "read">, wanted: AuditSearch): Promise<AuditRow[]> {
  const { accountId, limit } = wanted;
  const ids = accountId === undefined ? undefined : await store.read((db) => linesOfSmallAccount(db, accountId));
  if (ids !== undefined) return store.read((db) => auditAmong(db, ids, wanted));
  return newestInSteps<{ id: number }, AuditRow>(limit, (step) => store.read((db) => auditStep(db, wanted, step)));
}

function readOf({ at_ms, actor, act, subject, before, after, reason }: AuditRow): ReadAudit {
  const given = { before: before ?? undefined, after: after ?? undefined, reason: reason ?? undefined };
  return { atMs: at_ms, actor, act, subject, ...present(given) };
}
