import type { ItemKind } from "../../model/subjects.ts";
import type { TaxSystem } from "../../model/tax.ts";

/** What is kept of the platform's objects, in our words. */
export type ShopObject = ShopStore | ShopOrganization | ShopEmployee | ShopUnit | ShopGoods;

/** A point of sale. */
export interface ShopStore {
  type: "retailstore";
  id: string;
  name: string;
  address?: string;
  archived?: true;
  organizationId?: string;
  /** What its receipts are taxed by, where it says so. */
  taxSystem?: TaxSystem;
  /** Employees who may sell there. */
  cashierIds: string[];
}

/** An own company of the account. */
export interface ShopOrganization {
  type: "organization";
  id: string;
  name: string;
  inn?: string;
  archived?: true;
}

export interface ShopEmployee {
  type: "employee";
  id: string;
  firstName?: string;
  middleName?: string;
  lastName?: string;
  archived?: true;
}

/** A unit of measure, with its ОКЕИ code. */
export interface ShopUnit {
  type: "uom";
  id: string;
  name: string;
  code?: string;
}

/** A card of goods. What a variant does not say by itself its product has said. */
export interface ShopGoods {
  type: GoodsType;
  id: string;
  kind?: ItemKind;
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  marked?: true;
}

export const GOODS_TYPES = ["product", "service", "variant", "bundle"] as const;
export type GoodsType = (typeof GOODS_TYPES)[number];

/** Read whole: an account has few of them. Goods are read one by one, as they are sold. */
export const FURNITURE_TYPES = ["retailstore", "organization", "employee", "uom"] as const;
type FurnitureType = (typeof FURNITURE_TYPES)[number];

export type ShopType = FurnitureType | GoodsType;

export const SHOP_TYPES: readonly ShopType[] = [...FURNITURE_TYPES, ...GOODS_TYPES];

export function isGoodsType(type: string): type is GoodsType {
  return GOODS_TYPES.some((known) => known === type);
}

export function shopTypeNamed(text: string): ShopType | undefined {
  return SHOP_TYPES.find((type) => type === text);
}

/** Types whose objects repeat something of the object that changed: they are read again too. */
export const DEPENDENT_TYPES: Partial<Record<ShopType, readonly GoodsType[]>> = {
  product: ["variant"],
  uom: GOODS_TYPES,
};

/** An object by its name at the platform. */
export interface ShopName {
  type: ShopType;
  id: string;
}
