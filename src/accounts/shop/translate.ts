import { present } from "../../kernel/present.ts";
import type { ItemKind } from "../../model/subjects.ts";
import type { TaxSystem } from "../../model/tax.ts";
import type { Catalogue } from "../../platform/entities/catalogue.ts";
import type { Read } from "../../platform/entities/read.ts";
import { hrefOf, isUuid } from "../../platform/reference.ts";
import type { GoodsType, ShopEmployee, ShopGoods, ShopOrganization, ShopStore, ShopUnit } from "./shop-object.ts";

/** True for a row with an id of the platform. Only such rows can be stored: the id is a key of the tables and part of addresses. */
export function isObject(row: unknown): boolean {
  const id = inside(row, "id");
  return typeof id === "string" && isUuid(id);
}

type Entity<Type extends keyof Catalogue, Paths extends string = never> = Read<Catalogue[Type]["fields"], Paths>;

/**
 * Returns the point of sale in the server's form. Ignores fields of an undocumented type: stored values are printed on receipts, and one
 * wrong value must not hide the rest.
 */
export function storeOf(store: Entity<"retailstore", "cashiers">): ShopStore {
  const organization = referenced(store.organization);
  const taxSystem = taxSystemOf(store.defaultTaxSystem);
  return {
    type: "retailstore",
    id: store.id,
    name: textOf(store.name) ?? "",
    ...textIn("address", store.address),
    ...(store.archived === true ? { archived: true } : {}),
    ...present({ organizationId: organization, taxSystem }),
    cashierIds: rowsIn(store.cashiers).flatMap((cashier) => referenced(inside(cashier, "employee")) ?? []),
  };
}

export function organizationOf(organization: Entity<"organization">): ShopOrganization {
  return {
    type: "organization",
    id: organization.id,
    name: textOf(organization.legalTitle) ?? textOf(organization.name) ?? "",
    ...textIn("inn", organization.inn),
    ...(organization.archived === true ? { archived: true } : {}),
  };
}

export function employeeOf(employee: Entity<"employee">): ShopEmployee {
  return {
    type: "employee",
    id: employee.id,
    ...textIn("firstName", employee.firstName),
    ...textIn("middleName", employee.middleName),
    ...textIn("lastName", employee.lastName),
    ...(employee.archived === true ? { archived: true } : {}),
  };
}

export function unitOf(unit: Entity<"uom">): ShopUnit {
  return { type: "uom", id: unit.id, name: textOf(unit.name) ?? "", ...textIn("code", unit.code) };
}

interface Card {
  readonly id: string;
  readonly paymentItemType?: string | null;
  readonly taxSystem?: string | null;
  readonly trackingType?: string | null;
  readonly uom?: Partial<Entity<"uom">> | null;
  readonly productFolder?: unknown;
}

export function goodsOf(type: GoodsType, card: Card): ShopGoods {
  return { type, id: card.id, ...saidBy(card) };
}

/** Returns a variant in the server's form. Kind, tax, unit, marks and folder come from its product (json-api 13.2). */
export function variantOf(variant: { readonly id: string; readonly product?: Partial<Card> | null }): ShopGoods {
  return { type: "variant", id: variant.id, ...saidBy(variant.product ?? {}) };
}

function saidBy({ paymentItemType, taxSystem: system, trackingType, uom, productFolder }: Partial<Card>) {
  const kind = KINDS.get(paymentItemType);
  const taxSystem = taxSystemOf(system);
  const unitName = textOf(uom?.name);
  const unit = unitName === undefined ? undefined : { name: unitName, ...textIn("code", uom?.code) };
  return {
    ...present({ kind, taxSystem, unit, folderId: referenced(productFolder) }),
    ...(isTracked(trackingType) ? { marked: true as const } : {}),
  };
}

/** True for goods with marks: of every category except NOT_TRACKED, because the platform may add categories (json-api 13.1). */
function isTracked(trackingType: unknown): boolean {
  const category = textOf(trackingType);
  return category !== undefined && category !== "NOT_TRACKED";
}

/** The kinds by `paymentItemType` (json-api 13.1). An unknown type is ignored. */
const KINDS: ReadonlyMap<unknown, ItemKind> = new Map<unknown, ItemKind>([
  ["GOOD", "goods"],
  ["EXCISABLE_GOOD", "excisable"],
  ["COMPOUND_PAYMENT_ITEM", "composite"],
  ["ANOTHER_PAYMENT_ITEM", "other"],
  ["SERVICE", "service"],
  ["WORK", "work"],
  ["PROVIDING_RID", "results"],
]);

/**
 * Enum TaxSystem (json-api 12.1). `PRESUMPTIVE_TAX_SYSTEM` is missing, because it ended in 2021. Goods taxed like their folder have no tax
 * system here.
 */
const TAX_SYSTEMS: ReadonlyMap<unknown, TaxSystem> = new Map<unknown, TaxSystem>([
  ["GENERAL_TAX_SYSTEM", "osn"],
  ["SIMPLIFIED_TAX_SYSTEM_INCOME", "usn-income"],
  ["SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME", "usn-income-expense"],
  ["UNIFIED_AGRICULTURAL_TAX", "eshn"],
  ["PATENT_BASED", "patent"],
]);

function taxSystemOf(name: unknown): TaxSystem | undefined {
  return TAX_SYSTEMS.get(name);
}

/** Returns the id in a reference. Undefined: there is none. */
function referenced(reference: unknown): string | undefined {
  const href = textOf(inside(inside(reference, "meta"), "href"));
  const id = href === undefined ? undefined : hrefOf(href).split("/").at(-1);
  return id !== undefined && isUuid(id) ? id : undefined;
}

/** An expanded collection has at most this many rows (json-api 5.2). Without the bound an answer could have a hundred thousand. */
const MAX_EXPANDED_ROWS = 100;

function rowsIn(collection: unknown): readonly unknown[] {
  const rows = inside(collection, "rows");
  return Array.isArray(rows) ? rows.slice(0, MAX_EXPANDED_ROWS) : [];
}

function inside(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // Control characters become spaces, because PostgreSQL cannot store NUL, and receipts contain no control characters.
  const text = value
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim();
  return text === "" ? undefined : text;
}

/** The longest text. No documented field is longer (json-api 12, 13). */
const MAX_TEXT_LENGTH = 4_096;

function textIn<Name extends string>(name: Name, value: unknown): { [K in Name]?: string } {
  const text = textOf(value);
  return text === undefined ? {} : ({ [name]: text } as { [K in Name]: string });
}
