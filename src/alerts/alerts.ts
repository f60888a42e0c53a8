import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { AlertRow } from "../store/alert-tables.ts";
import { alertRows, changeAlert, deleteAlert, insertAlert, unsentAlerts } from "./alert-queries.ts";
import { ALERT_KINDS, type AlertPlace, AUDIENCES, type Audience, type Condition, type Findings } from "./condition.ts";
import { type AlertStanding, begun, endOf, looked } from "./decision.ts";
import { newRow, standingOf, withStanding } from "./rows.ts";
import { AlertSender } from "./sender.ts";
import type { AlertServices, OwnerAddress } from "./services.ts";
import { messagesOf, titleOf, type Words } from "./words.ts";

/** The pause between two checks of the conditions. A check asks neither registers nor banks. */
export const LOOK_MS = 15_000;
/** The maximum number of rows: one for each receiver of a condition. At this number a new condition waits until a row is deleted. */
const MAX_ROWS = 2_000;

/**
 * Sends people messages about conditions that begin and end. The database records each sent message. A recorded message is not sent again,
 * neither after a restart nor by another process. If a process dies between sending and recording, the message is sent again.
 */
export class Alerts {
  readonly #services: AlertServices;
  readonly #sender: AlertSender;
  readonly #rounds: Rounds;
  #isFull = false;
  /** Points of sale whose owners want messages that this server cannot send. Each is reported once. */
  readonly #unreachable = new Set<string>();
  /** The keys of the rows that could not be decoded at the last look. */
  #unreadable: ReadonlySet<string> = new Set();

  constructor(services: AlertServices) {
    this.#services = services;
    this.#sender = new AlertSender(services);
    this.#rounds = new Rounds(services.clock, LOOK_MS, () => this.#guarded(), services.onlyHere);
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  /** Finds the conditions that have begun or ended since the last check, then sends the due messages. */
  async look(): Promise<void> {
    const { store, find } = this.#services;
    // Reads the rows before the conditions. If another process changes a row meanwhile, the row has a newer version, and this check does
    // not change it.
    const found = await store.read((db) => alertRows(db, MAX_ROWS));
    const rows = this.#readable(found);
    const findings = await find();
    const wanted = await this.#wanted(findings);
    const standing = new Set(findings.standing.map(conditionKeyOf));
    for (const row of rows) {
      const one = wanted.get(keyOf(row));
      if (one === undefined && standing.has(conditionKeyOf(row))) await this.#drop(row);
      else await this.#follow(row, one, findings);
    }
    await this.#begin(found, [...wanted.values()]);
    await this.#sender.sendDue(this.#readable(await store.read((db) => alertRows(db, MAX_ROWS))));
  }

  /** Returns the rows without those that cannot be read. Such a row stays as it is, is reported once, and stops no other alert. */
  #readable(rows: readonly AlertRow[]): AlertRow[] {
    const problems = new Map(rows.flatMap((row) => unreadableIn(row) ?? []));
    for (const [key, error] of problems) if (!this.#unreadable.has(key)) this.#services.log.error({ error }, UNREADABLE);
    this.#unreadable = new Set(problems.keys());
    return rows.filter((row) => !problems.has(keyOf(row)));
  }

  /** Returns one element for each receiver of a condition. */
  async #wanted({ standing }: Findings): Promise<Map<string, Wanted>> {
    const { operator, owner, addressOf, shopNameOf } = this.#services;
    const addresses = remembered(addressOf);
    const names = remembered(shopNameOf);
    const wanted = new Map<string, Wanted>();
    for (const condition of standing) {
      const { place } = condition;
      const address = place === undefined ? NO_ADDRESS : await addresses(place);
      if (owner === undefined && place !== undefined && address.kind === "address") this.#noteUnreachable(place);
      const hasOwner = owner !== undefined && address.kind !== "none";
      const audiences = AUDIENCES.filter((audience) => (audience === "operator" ? operator.length > 0 : hasOwner));
      if (audiences.length === 0) continue;
      const shop = place === undefined ? undefined : await names(place);
      for (const audience of audiences) {
        const isUnsure = audience === "owner" && address.kind === "unreadable";
        wanted.set(keyOf({ audience, ...condition }), { audience, condition, shop, isUnsure });
      }
    }
    return wanted;
  }

  #noteUnreachable({ accountId, storeId }: AlertPlace): void {
    const name = `${accountId} ${storeId}`;
    if (this.#unreachable.has(name) || this.#unreachable.size >= MAX_UNREACHABLE) return;
    this.#unreachable.add(name);
    this.#services.log.error({ accountId, storeId }, UNREACHABLE);
  }

  /** Forgets a condition that lost its receiver but still holds. A message about the condition's end would be wrong. */
  async #drop(row: AlertRow): Promise<void> {
    const { store, log } = this.#services;
    if (await store.commit((tx) => deleteAlert(tx, row))) log.warn({ ...shown(row), why: "no-receiver" }, NOT_FOLLOWED);
  }

  async #follow(row: AlertRow, wanted: Wanted | undefined, { canTell }: Findings): Promise<void> {
    const { store, clock, log } = this.#services;
    const nowMs = clock.nowMs();
    const before = standingOf(row);
    const stands = wanted !== undefined ? true : findingOf(row, canTell);
    const after = looked(before, stands, nowMs);
    const end = endOf(after, nowMs);
    if (end !== undefined) {
      const deleted = await store.commit((tx) => deleteAlert(tx, row));
      if (deleted && end !== "settled") log.warn({ ...shown(row), why: end }, NOT_FOLLOWED);
      return;
    }
    if (after === before) return;
    // When a condition begins again, its messages are written anew.
    const texts = wanted === undefined || after.owed === before.owed ? {} : this.#textColumns(wanted);
    await store.commit((tx) => changeAlert(tx, row, { ...withStanding(row, after), ...texts }));
  }

  async #begin(rows: readonly AlertRow[], wanted: readonly Wanted[]): Promise<void> {
    const { store, clock, log } = this.#services;
    const known = new Set(rows.map(keyOf));
    const fresh = wanted.filter(({ audience, condition, isUnsure }) => !isUnsure && !known.has(keyOf({ audience, ...condition })));
    const room = Math.max(0, MAX_ROWS - rows.length);
    for (const one of fresh.slice(0, room)) {
      const standing: AlertStanding = begun(clock.nowMs());
      const row = newRow(one.condition, { audience: one.audience, texts: this.#texts(one), standing });
      if (await store.commit((tx) => insertAlert(tx, row))) log.warn(shown(row), "a condition that concerns a person has begun");
    }
    const isFull = fresh.length > room;
    if (isFull && !this.#isFull) log.error({ followed: rows.length }, "too many conditions are followed; no alert tells of further ones");
    this.#isFull = isFull;
  }

  #texts({ audience, condition, shop }: Wanted): { begins: string; ends: string } {
    const { publicUrl } = this.#services;
    return messagesOf(condition, { audience, ...(shop === undefined ? {} : { shop }), ...(publicUrl === undefined ? {} : { publicUrl }) });
  }

  #textColumns(wanted: Wanted): Pick<AlertRow, "begins_text" | "ends_text"> {
    const { begins, ends } = this.#texts(wanted);
    return { begins_text: begins, ends_text: ends };
  }

  async #guarded(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "alerts could not be looked at");
    }
  }
}

interface Wanted {
  audience: Audience;
  condition: Condition;
  shop: string | undefined;
  /**
   * True: it is unknown now whether the receiver wants messages. Then a followed condition stays followed, and a new condition is not
   * followed.
   */
  isUnsure: boolean;
}

const NO_ADDRESS: OwnerAddress = { kind: "none" };
const UNREADABLE = "an alert cannot be read and is left as it is";
const NOT_FOLLOWED = "an alert is no longer followed";
const UNREACHABLE =
  "an owner with alertEmail gets no alerts, because this server sends no e-mail: name an smtp channel in ALERT_CHANNEL or CODE_CHANNEL";
/** The maximum number of points of sale that are reported as unreachable. With so many the cause is known. */
const MAX_UNREACHABLE = 1_000;

export interface UnsentAlert {
  kind: string;
  title: Words;
  state: string;
  audience: string;
  accountId?: string;
  storeId?: string;
  register?: string;
  /** When the condition began or ended. */
  sinceMs: number;
  attempts: number;
  problem: string;
}

/** The messages that could not be sent, oldest first. */
export async function unsentMessages(store: Pick<AlertServices["store"], "read">, limit: number): Promise<UnsentAlert[]> {
  const rows = await store.read((db) => unsentAlerts(db, limit));
  return rows.map((row) => ({
    kind: row.kind,
    title: titleOf(row.kind),
    state: row.owed ?? "",
    audience: row.audience,
    ...(row.account_id === null ? {} : { accountId: row.account_id }),
    ...(row.store_id === null ? {} : { storeId: row.store_id }),
    ...(row.register === null ? {} : { register: row.register }),
    sinceMs: row.owed_since_ms ?? row.changed_at_ms,
    attempts: row.attempts,
    problem: row.problem ?? "",
  }));
}

/**
 * Returns false when the row's condition has ended, undefined when this check cannot find out. A newer version of the program may have
 * stored a kind that is unknown here.
 */
function findingOf({ kind, subject }: AlertRow, canTell: Findings["canTell"]): boolean | undefined {
  const known = ALERT_KINDS.find((one) => one === kind);
  return known !== undefined && canTell(known, subject) ? false : undefined;
}

/** Returns a function that calls `ask` once for each point of sale and caches the answer. */
function remembered<T>(ask: (place: AlertPlace) => Promise<T>): (place: AlertPlace) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (place) => {
    const key = JSON.stringify([place.appId, place.accountId, place.storeId]);
    const answer = answers.get(key) ?? ask(place);
    answers.set(key, answer);
    return answer;
  };
}

/** Returns the key of a row that cannot be read, and the reason. Undefined: the row can be read. */
function unreadableIn(row: AlertRow): [[key: string, reason: string]] | undefined {
  try {
    standingOf(row);
    return undefined;
  } catch (error) {
    return [[keyOf(row), messageOf(error)]];
  }
}

function conditionKeyOf({ kind, subject }: { kind: string; subject: string }): string {
  return `${kind} ${subject}`;
}

function keyOf({ audience, kind, subject }: { audience: string; kind: string; subject: string }): string {
  return `${audience} ${kind} ${subject}`;
}

function shown({ audience, kind, subject, account_id, store_id, register }: AlertRow) {
  return { audience, kind, subject, accountId: account_id, storeId: store_id, register };
}
