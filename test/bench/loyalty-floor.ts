import { createHash } from "node:crypto";
import { type Request, type Response, Router } from "express";
import { answerEmpty, answerJson } from "../../src/http/answer.ts";
import { readBody } from "../../src/http/raw-body.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { type Placeholders, statement } from "../../src/store/statement.ts";
import { LOYALTY_KEY } from "../support/loyalty-bench.ts";

/** The part of a body that the floors read. */
interface BareBody {
  agent: { meta: { id: string } };
  positions: { quantity: number; price: number; assortment: { meta: { id: string } } }[];
}

/**
 * The least work of the calls, on the same server with the same bodies. `/recalc`: reads the rows of a quote by their keys, and sends
 * the lines back. `/sale`: one transaction with as many rows as a sale that earns. `/row`: reads one row by its key.
 */
export function bareLoyaltyRoutes(store: Store, key: string): Router {
  const router = Router();
  const keyHash = createHash("sha256").update(key).digest("hex");
  const { appId, accountId } = LOYALTY_KEY;
  router.post("/recalc", async (request: Request, response: Response) => {
    const { agent, positions } = await bodyOf(request);
    await store.read(async (db) => {
      await keySelect(db, { keyHash });
      await programmeSelect(db, { appId, accountId });
      const { rows } = await aliasSelect(db, { appId, accountId, value: agent.meta.id });
      const memberId = rows[0]?.member_id ?? "";
      await memberSelect(db, { memberId });
      await accountSelect(db, { memberId });
      await lotsSelect(db, { memberId });
      await settingSelect(db, { appId, accountId });
    });
    answerJson(response, 200, { agent, positions });
  });
  router.post("/sale", async (request: Request, response: Response) => {
    const { agent, positions } = await bodyOf(request);
    await store.commit(async (tx) => {
      const { rows: aliases } = await aliasSelect(tx, { appId, accountId, value: agent.meta.id });
      const memberId = aliases[0]?.member_id ?? "";
      const { rows: accounts } = await accountSelect(tx, { memberId });
      const number = (accounts[0]?.entry_number ?? 0) + 1;
      const { rows } = await orderInsert(tx, { appId, accountId, memberId, documentKey: systemChance.uuid() });
      const orderId = rows[0]?.id ?? 0;
      await tx
        .insertInto("loyalty_order_lines")
        .values(positions.map((position, index) => lineOf(orderId, index + 1, position.assortment.meta.id)))
        .execute();
      await entryInsert(tx, { memberId, number, orderId, hash: keyHash });
      await lotInsert(tx, { memberId, number });
      await accountUpdate(tx, { memberId, number, hash: keyHash });
    });
    answerEmpty(response, 201);
  });
  router.get("/row/:id", async (request: Request, response: Response) => {
    const memberId = String(request.params.id);
    const { rows } = await store.read((db) => memberSelect(db, { memberId }));
    answerJson(response, 200, { rows: rows.map(({ id, status }) => ({ id, status })) });
  });
  return router;
}

async function bodyOf(request: Request): Promise<BareBody> {
  const body = await readBody(request);
  if (body.kind !== "body") throw new Error(`a floor was sent a body that is ${body.kind}`);
  return JSON.parse(body.bytes.toString("utf8"));
}

function lineOf(order_id: number, number: number, product_id: string) {
  const [unit_kopecks, points_kopecks] = [9_600, 0];
  return {
    order_id,
    number,
    product_id,
    quantity_millionths: 1_000_000,
    unit_kopecks,
    paid_kopecks: unit_kopecks,
    gross_kopecks: unit_kopecks,
    points_kopecks,
    earning_kopecks: unit_kopecks,
  };
}

type Account = Placeholders<{ appId: string; accountId: string }>;
type Member = Placeholders<{ memberId: string }>;

const keySelect = statement((db, { keyHash }: Placeholders<{ keyHash: string }>) =>
  db.selectFrom("loyalty_keys").selectAll().where("key_hash", "=", keyHash),
);
const programmeSelect = statement((db, { appId, accountId }: Account) =>
  db
    .selectFrom("loyalty_programmes")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .orderBy("version", "desc")
    .limit(1),
);
const aliasSelect = statement((db, { appId, accountId, value }: Account & Placeholders<{ value: string }>) =>
  db
    .selectFrom("loyalty_aliases")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("kind", "=", "native")
    .where("value", "=", value),
);
const memberSelect = statement((db, { memberId }: Member) => db.selectFrom("loyalty_members").selectAll().where("id", "=", memberId));
const accountSelect = statement((db, { memberId }: Member) =>
  db.selectFrom("loyalty_accounts").selectAll().where("member_id", "=", memberId),
);
const lotsSelect = statement((db, { memberId }: Member) =>
  db.selectFrom("loyalty_lots").selectAll().where("member_id", "=", memberId).where("remaining", ">", 0),
);
const settingSelect = statement((db, { appId, accountId }: Account) =>
  db.selectFrom("settings").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId).where("store_id", "=", "*"),
);

const orderInsert = statement((db, { appId, accountId, memberId, documentKey }: Account & Member & Placeholders<{ documentKey: string }>) =>
  db
    .insertInto("loyalty_orders")
    .values({
      app_id: appId,
      account_id: accountId,
      type: "bare",
      document_key: documentKey,
      content_hash: documentKey,
      store_id: "store",
      member_id: memberId,
      moment_ms: 0,
      received_at_ms: 0,
      state: "booked",
      paid_kopecks: 96_000,
      spent: 0,
      earned: 48,
      given_back: 0,
      clawed_back: 0,
      sale_key: null,
      sale_id: null,
      programme_version: 1,
      anomalies: null,
      content: null,
    })
    .returning("id"),
);
const entryInsert = statement(
  (db, { memberId, number, orderId, hash }: Member & Placeholders<{ number: number; orderId: number; hash: string }>) =>
    db.insertInto("loyalty_entries").values({
      member_id: memberId,
      number,
      kind: "EARN",
      points: 48,
      debt_points: 0,
      order_id: orderId,
      part: 1,
      reverses: null,
      at_ms: 0,
      actor: "till",
      reason: null,
      trace: "[]",
      hash,
    }),
);
const lotInsert = statement((db, { memberId, number }: Member & Placeholders<{ number: number }>) =>
  db.insertInto("loyalty_lots").values({
    member_id: memberId,
    number,
    kind: "earned",
    original: 48,
    remaining: 0,
    active_from_ms: 0,
    expires_at_ms: null,
  }),
);
const accountUpdate = statement((db, { memberId, number, hash }: Member & Placeholders<{ number: number; hash: string }>) =>
  db.updateTable("loyalty_accounts").set({ points: 48, entry_number: number, entry_hash: hash }).where("member_id", "=", memberId),
);
