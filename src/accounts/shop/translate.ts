import type { ItemKind } from "../../model/subjects.ts";
import type { TaxSystem } from "../../model/tax.ts";
import type { Catalogue } from "../../platform/entities/catalogue.ts";
import type { Ref } from "../../platform/entities/meta.ts";
import type { Read } from "../../platform/entities/read.ts";
import { idOf } from "../../platform/reference.ts";
import type { GoodsType, ShopEmployee, ShopGoods, ShopOrganization, ShopStore, ShopUnit } from "./shop-object.ts";

type Entity<Type extends keyof Catalogue, Paths extends string = never> = Read<Catalogue[Type]["fields"], Paths>;

export function storeOf(store: Entity<"retailstore", "cashiers">): ShopStore {
  const organization = referenced(store.organization);
  const taxSystem = taxSystemOf(store.defaultTaxSystem);
  return {
    type: "retailstore",
    id: store.id,
    name: store.name ?? "",
    ...textIn("address", store.address),
    ...(store.archived === true ? { archived: true } : {}),
    ...(organization === undefined ? {} : { organizationId: organization }),
    ...(taxSystem === undefined ? {} : { taxSystem }),
    cashierIds: (store.cashiers?.rows ?? []).flatMap(({ employee }) => referenced(employee) ?? []),
  };
}

export function organizationOf(organization: Entity<"organization">): ShopOrganization {
  return {
    type: "organization",
    id: organization.id,
    name: organization.legalTitle ?? organization.name ?? "",
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
  return { type: "uom", id: unit.id, name: unit.name ?? "", ...textIn("code", unit.code) };
}

/** A card of goods whose unit has come expanded. */
interface Card {
  readonly id: string;
  readonly paymentItemType?: string | null;
  readonly taxSystem?: string | null;
  readonly trackingType?: string | null;
  readonly uom?: Partial<Entity<"uom">> | null;
}

export function goodsOf(type: GoodsType, card: Card): ShopGoods {
  return { type, id: card.id, ...saidBy(card) };
}

/** A variant has kind, tax, unit and marks of its product (json-api 13.2). */
export function variantOf(variant: { readonly id: string; readonly product?: Partial<Card> | null }): ShopGoods {
  return { type: "variant", id: variant.id, ...saidBy(variant.product ?? {}) };
}

function saidBy({ paymentItemType, taxSystem: system, trackingType, uom }: Partial<Card>) {
  const kind = KINDS[paymentItemType ?? ""];
  const taxSystem = taxSystemOf(system);
  const unit = typeof uom?.name === "string" ? { name: uom.name, ...textIn("code", uom.code) } : undefined;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(taxSystem === undefined ? {} : { taxSystem }),
    ...(unit === undefined ? {} : { unit }),
    ...(isTracked(trackingType) ? { marked: true as const } : {}),
  };
}

/** An open enum (json-api 13.1): every category but this one has marks. */
function isTracked(trackingType: string | null | undefined): boolean {
  return typeof trackingType === "string" && trackingType !== "NOT_TRACKED";
}

/** `paymentItemType` (json-api 13.1). One that is unknown says nothing. */
const KINDS: Readonly<Record<string, ItemKind>> = {
  GOOD: "goods",
  EXCISABLE_GOOD: "excisable",
  COMPOUND_PAYMENT_ITEM: "composite",
  ANOTHER_PAYMENT_ITEM: "other",
  SERVICE: "service",
  WORK: "work",
  PROVIDING_RID: "results",
};

/** Enum TaxSystem (json-api 12.1). `PRESUMPTIVE_TAX_SYSTEM` ended in 2021, and goods "as their group" say nothing by themselves. */
const TAX_SYSTEMS: Readonly<Record<string, TaxSystem>> = {
  GENERAL_TAX_SYSTEM: "osn",
  SIMPLIFIED_TAX_SYSTEM_INCOME: "usn-income",
  SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME: "usn-income-expense",
  UNIFIED_AGRICULTURAL_TAX: "eshn",
  PATENT_BASED: "patent",
};

function taxSystemOf(name: string | null | undefined): TaxSystem | undefined {
  return TAX_SYSTEMS[name ?? ""];
}

function referenced(reference: Ref | null | undefined): string | undefined {
  return reference === null || reference === undefined ? undefined : idOf(reference);
}

function textIn<Name extends string>(name: Name, text: string | null | undefined): { [K in Name]?: string } {
  return text === null || text === undefined || text === "" ? {} : ({ [name]: text } as { [K in Name]: string });
}
