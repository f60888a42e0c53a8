import { fingerprintOf } from "../../../src/loyalty/members/member.ts";
import { importMembers } from "../../../src/loyalty/transfers/import.ts";
import { mergeMembers, undoMerge } from "../../../src/loyalty/transfers/merge.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import type { Operation } from "./operation.ts";
import { broken, type Recount } from "./recount.ts";
import { ACCOUNT, type LoyaltyServer, SEAL, STORE } from "./server.ts";
import { KEY } from "./storage.ts";
import type { Landed, Tx } from "./watched-store.ts";

const DAY_MS = 86_400_000;

/** A register makes a person a member, or finds that the person is one. */
export function enrolmentOf(recount: Recount, name: string): Operation<{ memberId: string }> {
  const phone = phoneOf(name);
  const landed = new Set<string>();
  return {
    mayDouble: true,
    act: (server) =>
      server.members.enrol(KEY, { identity: { platformId: name, phone }, personal: { name: "Анна Иванова", phone }, isNative: true }),
    landed({ value }) {
      const { kind, memberId } = value as { kind: string; memberId: string };
      recount.enrol(name, memberId, kind === "made");
      landed.add(memberId);
    },
    refused: () => {},
    answered({ memberId }) {
      if (!landed.has(memberId)) throw broken("answer-is-true", `${name} was told to be ${memberId}`);
    },
  };
}

export function phoneOf(name: string): string {
  return `+7903${name.replaceAll(/\D/g, "").padStart(7, "0")}`;
}

/** A person adds points or takes them out. After a lost answer the person looks into the ledger before trying again. */
export function grantOf(recount: Recount, name: string, points: number, reason: string): Operation<unknown> {
  let foundId = "";
  return {
    mayDouble: false,
    async act({ services, programmes, members }) {
      const row = await members.find(KEY, { platformId: name });
      if (row === undefined) throw broken("members-stay", `${name} is nobody`);
      const done = await services.store.read((db) =>
        db.selectFrom("loyalty_entries").select("number").where("member_id", "=", row.id).where("reason", "=", reason).execute(),
      );
      foundId = row.id;
      if (done.length === 0) await grantPoints({ services, programmes }, { key: KEY, actor: "person" }, row, { points, reason });
    },
    landed({ value, nowMs }) {
      const { kind } = value as { kind: string };
      // The member that was found, or the member into which it was merged since.
      const member = recount.model.keptOf(foundId);
      recount.revision += 1;
      if (points > 0) recount.model.grant(member, points, nowMs);
      const isRight = points > 0 ? kind === "granted" : (kind === "granted") === recount.model.deduct(member, -points, nowMs);
      if (!isRight) throw broken("grants-are-right", `${points} for ${name} were ${kind}`);
    },
    refused: () => {},
    answered: () => {},
  };
}

/** A row of an import. */
export interface TakenOver {
  key: string;
  name: string;
  points: number;
  spentKopecks: number;
}

/** Members and balances from elsewhere. */
export function importOf(recount: Recount, rows: readonly TakenOver[]): Operation<unknown> {
  const lines = rows.map(({ name, ...row }) => JSON.stringify({ ...row, name: "Борис", phone: phoneOf(name) }));
  return {
    mayDouble: true,
    act: ({ services, programmes, members }) =>
      importMembers({ ...services, programmes, members }, KEY, lines, { dry: false, actor: "person" }),
    async landed({ value, nowMs, tx }) {
      const outcomes = value as readonly { kind: string }[];
      for (const [index, { key, name, points, spentKopecks }] of rows.entries()) {
        const memberId = await importedMember(tx, key);
        const isNew = recount.takeOver(key, name, memberId, { points, spentKopecks }, nowMs);
        if ((outcomes[index]?.kind === "booked") !== isNew) throw broken("rows-count-once", `row ${key} was ${outcomes[index]?.kind}`);
      }
    },
    refused: () => {},
    answered: () => {},
  };
}

async function importedMember(tx: Tx, key: string): Promise<string> {
  const row = await tx
    .selectFrom("loyalty_imports")
    .select("member_id")
    .where("account_id", "=", KEY.accountId)
    .where("app_id", "=", KEY.appId)
    .where("row_key", "=", fingerprintOf(SEAL, KEY, `import:${key}`))
    .executeTakeFirst();
  return row?.member_id ?? "";
}

/** Two members are merged because they are one person, or the merge is undone. */
export function mergeOf(recount: Recount, what: "merge" | "undo", ids: { keptId: string; goneId: string }): Operation<unknown> {
  const done = what === "merge" ? "merged" : "undone";
  return {
    mayDouble: true,
    act: ({ services, programmes }) => (what === "merge" ? mergeMembers : undoMerge)({ ...services, programmes }, KEY, ids, "person"),
    landed({ value, nowMs }) {
      const result = value as Awaited<ReturnType<typeof mergeMembers>>;
      recount.revision += 1;
      if (result.kind === "refused" && result.because.code === "too-late") return;
      const { model } = recount;
      const isDone = what === "merge" ? model.merge(ids.keptId, ids.goneId, nowMs) : model.undoMerge(ids.keptId, ids.goneId, nowMs);
      // The kept member has the visits of both from now on.
      if (isDone && what === "merge") recount.visited(ids.keptId, nowMs);
      if ((result.kind === done) !== isDone) throw broken("merges-are-right", `${what} of ${ids.goneId} was ${JSON.stringify(result)}`);
    },
    refused: () => {},
    answered: () => {},
  };
}

export function cardOf(recount: Recount, name: string, kopecks: number): Operation<unknown> {
  return {
    mayDouble: true,
    act: (server) => server.giftCards.issue(KEY, name, kopecks),
    landed({ value }) {
      if ((value === true) === recount.cards.has(name)) throw broken("cards-are-issued-once", `${name} was ${value}`);
      if (value === true) recount.cards.set(name, kopecks);
    },
    refused: () => {},
    answered: () => {},
  };
}

/** A code for spending. */
export function codeOf(recount: Recount, name: string): Operation<unknown> {
  const phone = phoneOf(name);
  let asked = "";
  return {
    mayDouble: true,
    act(server: LoyaltyServer) {
      asked = recount.memberOf(name);
      return server.loyalty.saleCode({ account: ACCOUNT, storeId: STORE, identity: { platformId: name }, address: { phone } });
    },
    async landed({ value, nowMs, tx }) {
      const { kind, id } = value as { kind: string; id?: string };
      // A merge between finding the member and storing the code changes which member the code belongs to.
      const persons = id === undefined ? [asked, recount.memberOf(name)] : [await subjectOf(tx, id)];
      const person = persons.find((each) => recount.codes.told(each, phone, nowMs) === kind);
      if (person === undefined) throw broken("codes-are-limited", `${name} was told ${kind}`);
      if (kind === "taken") recount.codes.sent(person, phone, nowMs);
    },
    refused: () => {},
    answered: () => {},
  };
}

async function subjectOf(tx: Tx, codeId: string): Promise<string> {
  return (await tx.selectFrom("loyalty_codes").select("subject").where("id", "=", codeId).executeTakeFirstOrThrow()).subject;
}

/** The owner changes the percent. */
export function programmeOf(recount: Recount, percent: number, textOf: () => string): Operation<unknown> {
  return {
    mayDouble: false,
    act: (server) => {
      const before = recount.percent;
      recount.percent = percent;
      const text = textOf();
      recount.percent = before;
      return server.programmes.set(KEY, text, "owner");
    },
    landed() {
      recount.revision += 1;
      recount.percent = percent;
    },
    refused: () => {},
    answered: () => {},
  };
}

/** The upkeep writes the entries that follow from dates. */
export function upkeepOf(recount: Recount): Operation<unknown> {
  return {
    mayDouble: true,
    act: (server) => server.upkeep.run(),
    async landed({ locked, nowMs, tx }) {
      recount.revision += 1;
      for (const memberId of locked) recount.model.upkeepOf(memberId, nowMs);
      await endWaiting(recount, { nowMs, tx });
    },
    refused: () => {},
    answered: () => {},
  };
}

/** A return that has waited a day for its sale is given up. */
async function endWaiting(recount: Recount, { nowMs, tx }: Pick<Landed, "nowMs" | "tx">): Promise<void> {
  for (const { id, receivedMs } of recount.waiting) {
    const row = await tx
      .selectFrom("loyalty_orders")
      .select("state")
      .where("account_id", "=", KEY.accountId)
      .where("app_id", "=", KEY.appId)
      .where("type", "=", "return")
      .where("document_key", "=", id)
      .executeTakeFirst();
    if (row?.state === "waiting") continue;
    if (row?.state !== "nothing" || nowMs - receivedMs < DAY_MS) throw broken("early-returns-wait", `return ${id} is ${row?.state}`);
    recount.endWaiting(id);
  }
}
