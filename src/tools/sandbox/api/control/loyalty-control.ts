import { present } from "../../../../kernel/present.ts";
import type { Account } from "../../account/account.ts";
import type { LoyaltyCustomer, LoyaltyLine } from "../../caller/loyalty/bodies.ts";
import { type LoyaltyPay, loyaltySale } from "../../solution/loyalty-record.ts";
import type { Flow, LoyaltyTill } from "../../solution/loyalty-till.ts";
import type { JsonObject } from "../../values/json.ts";
import type { Stored } from "../../values/stored.ts";
import type { Answer } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";
import { controlObject, isObject } from "../requests/control-body.ts";

export interface LoyaltyControlParts {
  readonly account: Account;
  /** Undefined: no solution was named. */
  readonly till: LoyaltyTill | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** Refuses a request that the till cannot carry out. The default status is 400. */
class WrongWish extends Error {
  readonly status: number;

  constructor(words: string, status = 400) {
    super(words);
    this.status = status;
  }
}

const PAYS: readonly LoyaltyPay[] = ["cash", "card", "qr"];
const PERSONAL = [
  "phone",
  "email",
  "discountCardNumber",
  "legalFirstName",
  "legalMiddleName",
  "legalLastName",
  "birthDate",
  "sex",
] as const;
const MAX_LINES = 1_000;

/**
 * Answers below `{base}/sandbox/loyalty` (payments surface 9): `POST loyalty/enrol`, `POST loyalty/sale`, `POST loyalty/return`.
 * Undefined: another path. Throws a `Refusal` for invalid JSON.
 */
export function answerLoyalty(
  path: string,
  method: string,
  bytes: Buffer,
  parts: LoyaltyControlParts,
): Answer | Promise<Answer> | undefined {
  const [room, name, ...rest] = path.split("/");
  if (room !== "loyalty" || rest.length > 0) return undefined;
  const play = name === undefined ? undefined : FLOWS.get(name);
  const { till, account } = parts;
  if (play === undefined || till === undefined) return pageAnswer(404);
  if (method !== "POST") return pageAnswer(405);
  const body = controlObject(bytes);
  if (body === undefined) return problem(400, "the body is a JSON object");
  if (!till.isConnected) return problem(409, "the solution has told no loyalty programme, or may not be called");
  return play(body, till, account).catch((error: unknown) => {
    if (error instanceof WrongWish) return problem(error.status, error.message);
    throw error;
  });
}

const FLOWS: ReadonlyMap<string, (body: Body, till: LoyaltyTill, account: Account) => Promise<Answer>> = new Map([
  ["enrol", enrol],
  ["sale", sell],
  ["return", giveBack],
]);

async function enrol(body: Body, till: LoyaltyTill, account: Account): Promise<Answer> {
  const { name } = body;
  if (typeof name !== "string" || name === "") throw new WrongWish("name is a text");
  const given = Object.fromEntries(PERSONAL.map((field) => [field, textIn(body, field)]));
  return told(await till.enrol(storeIn(body, account), { name, ...present(given) }));
}

async function sell(body: Body, till: LoyaltyTill, account: Account): Promise<Answer> {
  const { spend, pay = "cash" } = body;
  if (spend !== undefined && spend !== null && spend !== "max" && typeof spend !== "number")
    throw new WrongWish('spend is a number of points or "max"');
  const way = PAYS.find((each) => each === pay);
  if (way === undefined) throw new WrongWish(`pay is one of ${PAYS.join(", ")}`);
  const lines = linesIn(body.positions);
  const store = storeIn(body, account);
  return told(await till.sell({ store, lines, spend: spend ?? undefined, pay: way, ...agentIn(body.agent, account) }));
}

async function giveBack(body: Body, till: LoyaltyTill, account: Account): Promise<Answer> {
  const { saleId, positions } = body;
  if (typeof saleId !== "string") throw new WrongWish("saleId is an id");
  const named = positions === undefined ? undefined : listIn(positions).map((position) => quantityIn(position));
  const sale = loyaltySale(account, saleId);
  if (sale === undefined) throw new WrongWish("no sale with the loyalty programme has this id", 404);
  return told(await till.giveBack(sale, named));
}

/** Returns 200 with the result and the steps. If the till stopped, returns 412 with the code of the stop and the steps so far. */
function told<Done>({ done, steps, stopped }: Flow<Done>): Answer {
  const body = JSON.parse(JSON.stringify({ ...done, steps })) as JsonObject;
  if (stopped === undefined) return { status: 200, body };
  return { status: 412, body: { errors: [{ error: stopped.words, code: stopped.code }], ...body } };
}

/** Returns the point of sale from the body. If the body names none, returns the account's first point of sale. */
function storeIn({ retailStoreId }: Body, account: Account): Stored {
  const stores = account.objects.all("retailstore");
  const store = retailStoreId === undefined ? [...stores.values()][0] : stores.get(String(retailStoreId));
  if (store === undefined) throw new WrongWish("there is no such point of sale", 404);
  return store;
}

/**
 * Finds the customer by the ids in the agent. An agent object without a known id goes unchanged to the programme. An unknown id alone is
 * refused.
 */
function agentIn(agent: unknown, account: Account): { customer: LoyaltyCustomer | undefined; foreignAgent: object | undefined } {
  if (agent === undefined || agent === null) return { customer: undefined, foreignAgent: undefined };
  const given = typeof agent === "string" ? { id: agent } : agent;
  if (!isObject(given)) throw new WrongWish("agent is an id, or an object as of enrol's answer");
  const meta = isObject(given.meta) ? given.meta : {};
  for (const id of [meta.id, given.id, given.syncId]) {
    const found = typeof id === "string" ? customerBy(id, account) : undefined;
    if (found !== undefined) return { customer: customerOf(found), foreignAgent: undefined };
  }
  if (typeof agent === "string") throw new WrongWish("there is no such customer", 404);
  return { customer: undefined, foreignAgent: given };
}

function customerBy(id: string, account: Account): Stored | undefined {
  const own = account.syncIds.idOf("counterparty", id) ?? id;
  return account.objects.get("counterparty", own);
}

function customerOf({ id, values }: Stored): LoyaltyCustomer {
  const { name, syncId, phone, email, discountCardNumber } = values;
  const texts = { syncId, phone, email, discountCardNumber };
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => typeof value === "string"));
  return { id, name: String(name), ...given };
}

function linesIn(positions: unknown): LoyaltyLine[] {
  return listIn(positions).map((position) => {
    const { assortmentId, quantityThousandths, type } = quantityIn(position);
    const { price, sn } = position;
    if (typeof price !== "number" || !(price >= 0)) throw new WrongWish("price is roubles");
    const serials = sn === undefined || sn === null ? undefined : listIn(sn, 0).map((serial) => String(serial.name));
    return { assortmentId, quantityThousandths, priceKopecks: Math.round(price * 100), ...present({ type, serials }) };
  });
}

function quantityIn(position: Body): { assortmentId: string; quantityThousandths: number; type?: string } {
  const assortment = isObject(position.assortment) ? position.assortment : {};
  const meta = isObject(assortment.meta) ? assortment.meta : {};
  const href = typeof meta.href === "string" ? /\/entity\/([a-z]+)\/([A-Za-z0-9-]+)$/.exec(meta.href) : undefined;
  const id = meta.id ?? href?.[2];
  const type = meta.type ?? href?.[1];
  if (typeof id !== "string" || id === "") throw new WrongWish("assortment.meta.id is an id");
  const { quantity } = position;
  if (typeof quantity !== "number" || !(quantity > 0)) throw new WrongWish("quantity is a number above 0");
  return { assortmentId: id, quantityThousandths: Math.round(quantity * 1000), ...(typeof type === "string" ? { type } : {}) };
}

function listIn(value: unknown, least = 1): Body[] {
  if (!Array.isArray(value) || value.length < least || value.length > MAX_LINES || !value.every(isObject))
    throw new WrongWish("positions is a list of positions as of recalc");
  return value as Body[];
}

function textIn(body: Body, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === "string") return value;
  throw new WrongWish(`${name} is a text`);
}

function problem(status: number, error: string): Answer {
  return { status, body: { errors: [{ error }] } };
}
