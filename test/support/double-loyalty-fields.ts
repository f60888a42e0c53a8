import type { Fields } from "./double-loyalty-book.ts";

const ID = /^[A-Za-z0-9-]{1,64}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d+)?$/;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length <= 1_000;
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isId: Check = (value) => typeof value === "string" && ID.test(value);
const isMoment: Check = (value) =>
  typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(`${value.replace(" ", "T")}Z`));
const oneOf =
  (...names: string[]): Check =>
  (value) =>
    names.includes(String(value));
const decimals =
  (count: number, least: number): Check =>
  (value) => {
    if (typeof value !== "number" || value < least || value > 1e12) return false;
    const scaled = value * 10 ** count;
    return Math.abs(scaled - Math.round(scaled)) < 1e-6;
  };
const roubles = decimals(2, 0);
const quantity = decimals(3, 0.001);
const points = decimals(0, 0);
const wanted = decimals(0, 1);

/** The path of a field, whether it is required, and the check of its value. `*` stands for each element of a list. */
type Rule = readonly [path: string, need: "required" | "optional", check: Check];

const STORE: readonly Rule[] = [
  ["retailStore", "required", isObject],
  ["retailStore.meta", "required", isObject],
  ["retailStore.meta.id", "required", isId],
];
const BUYER: readonly Rule[] = [
  ["syncId", "optional", isId],
  ["phone", "optional", isText],
  ["sex", "optional", oneOf("MALE", "FEMALE")],
];
const POSITION: readonly Rule[] = [
  ["positions.*.assortment", "required", isObject],
  ["positions.*.assortment.meta", "required", isObject],
  ["positions.*.assortment.meta.id", "required", isId],
  ["positions.*.quantity", "required", quantity],
  ["positions.*.price", "required", roubles],
];
const SOLD: readonly Rule[] = [
  ...POSITION,
  ["positions.*.discountPercent", "optional", roubles],
  ["positions.*.discountedPrice", "optional", roubles],
];
const ORDER: readonly Rule[] = [...STORE, ["name", "required", isText], ["moment", "required", isMoment], ["cashSum", "optional", roubles]];

const RULES: Record<string, readonly Rule[]> = {
  "/counterparty": [...STORE, ["name", "required", isText], ...BUYER, ["statusCheck", "optional", oneOf("CHECKED", "UNCHECKED", "IGNORE")]],
  "/counterparty/detail": [["meta", "required", isObject], ["meta.id", "required", isId], ...STORE, ...BUYER],
  "/counterparty/verify": [...STORE, ...BUYER],
  "/retaildemand/recalc": [
    ...STORE,
    ["positions", "required", Array.isArray],
    ...POSITION,
    ["bonusProgram", "optional", isObject],
    ["bonusProgram.transactionType", "optional", oneOf("EARNING", "SPENDING")],
    ["preferredBonusToSpend", "optional", wanted],
  ],
  "/retaildemand/verify": [...STORE, ["counterpartyId", "required", isId], ["phone", "optional", isText]],
  "/retaildemand": [
    ...ORDER,
    ["positions", "optional", Array.isArray],
    ...SOLD,
    ["bonusProgram.bonusValueToSpend", "optional", points],
    ["bonusProgram.bonusValueToEarn", "optional", points],
  ],
  "/retailsalesreturn": [...ORDER, ["positions", "required", Array.isArray], ...SOLD],
  "GET /counterparty": [
    ["search", "required", isText],
    ["retailStoreId", "required", isId],
  ],
  "GET /giftcard": [
    ["name", "required", isText],
    ["retailStoreId", "required", isId],
  ],
};

/** The first field that is missing or wrong. Undefined: there is none. */
export function fieldProblem(call: string, body: Fields): string | undefined {
  for (const [path, need, check] of RULES[call] ?? []) {
    for (const [place, value] of at(body, path.split("."), "")) {
      const isAbsent = value === undefined || value === null;
      if (isAbsent ? need === "required" : !check(value)) return place;
    }
  }
  return undefined;
}

function at(value: unknown, [name, ...rest]: string[], before: string): [string, unknown][] {
  if (name === undefined) return [[before, value]];
  const place = (step: string) => (before === "" ? step : `${before}.${step}`);
  if (name === "*") return Array.isArray(value) ? value.flatMap((item, index) => at(item, rest, place(String(index)))) : [];
  const inner = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  // When an outer field is missing, the missing inner field is not reported.
  return isObject(value) ? at(inner, rest, place(name)) : [];
}
