import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import type { Store } from "../store/database.ts";
import { type AuditRow, type AuditSearch, insertAudit, searchAudit, selectAudit } from "./audit-queries.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

/** Who acts. `place`: where the act was requested. `server`: the server acted without a request of a person. */
export interface Actor {
  name: string;
  place: "page" | "command" | "server";
}

/** The person who runs a command on the server's machine. */
export const OPERATOR: Actor = { name: "operator", place: "command" };

/** The person of this name. The operator acts by a command, every other person on a page. */
export function actorNamed(name: string): Actor {
  return name === OPERATOR.name ? OPERATOR : { name, place: "page" };
}

/** What was done. The values contain no secrets. */
export interface Act {
  /** `*`: all points of sale. Absent: the act concerns no point of sale. */
  storeId?: string;
  act:
    | "setting"
    | "settle"
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
    | "agent";
  /** What was changed: the name of a setting, the id of a payment. */
  subject: string;
  before?: string;
  after?: string;
  /** A person's words. */
  reason?: string;
}

/**
 * Writes the line. Call it in the transaction of the change that the line describes, so that both are stored or
 * neither.
 */
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

/** Writes a line of the audit in a commit of its own. */
export type NoteAct = (whose: { key: InstallationKey; actor: Actor }, act: Act) => Promise<void>;

/**
 * Returns a function that writes a line of the audit in a commit of its own. It is for acts that no single commit stores, such as a
 * document that a register makes. Write the line before the act. Then no act lacks its line, even when the process dies during the act. The
 * act may still fail after its line was written.
 */
export function actNoter({ store, clock }: { store: Pick<Store, "commit">; clock: Pick<Clock, "nowMs"> }): NoteAct {
  return (whose, act) => store.commit((tx) => writeAudit(tx, { ...whose, atMs: clock.nowMs() }, act));
}

/** A line as people read it. */
export interface ReadAudit {
  atMs: number;
  actor: string;
  /** `setting`, `refund`: what was done. */
  act: string;
  subject: string;
  before?: string;
  after?: string;
  /** A person's words. */
  reason?: string;
}

/**
 * Returns the lines of a point of sale, the newest first. The store id `*` returns the lines about the whole account.
 */
export async function auditOf(store: Pick<Store, "read">, key: InstallationKey, storeId: string, limit: number): Promise<ReadAudit[]> {
  return (await store.read((db) => selectAudit(db, key, storeId, limit))).map(readOf);
}

/** A line as the operator of the server reads it. */
export interface AuditLine extends ReadAudit, InstallationKey {
  id: number;
  storeId?: string;
  /** Where the act was requested: `page`, `command` or `server`. */
  place: string;
}

export type { AuditSearch };

/** The lines of all accounts that match, the newest first. */
export async function auditLines(store: Pick<Store, "read">, wanted: AuditSearch): Promise<AuditLine[]> {
  const rows = await store.read((db) => searchAudit(db, wanted));
  return rows.map((row) => ({
    ...readOf(row),
    id: row.id,
    appId: row.app_id,
    accountId: row.account_id,
    ...(row.store_id === null ? {} : { storeId: row.store_id }),
    place: row.place,
  }));
}

function readOf({ at_ms, actor, act, subject, before, after, reason }: AuditRow): ReadAudit {
  const given = { before: before ?? undefined, after: after ?? undefined, reason: reason ?? undefined };
  return { atMs: at_ms, actor, act, subject, ...present(given) };
}
