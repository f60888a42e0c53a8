import type { ItemKind } from "../../model/subjects.ts";
import type { TaxSystem } from "../../model/tax.ts";

export type ShopObject = ShopStore | ShopOrganization | ShopEmployee | ShopUnit | ShopGoods;

export interface ShopStore {
  type: "retailstore";
  id: string;
  name: string;
  address?: string;
  archived?: true;
  organizationId?: string;
  /** Tax system of the receipts. Absent: the point of sale names none. */
  taxSystem?: TaxSystem;
  cashierIds: string[];
}

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

/** Goods. A variant has the values of its product. */
export interface ShopGoods {
  type: GoodsType;
  id: string;
  kind?: ItemKind;
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  marked?: true;
  /** The folder of the goods. A variant has its product's folder. */
  folderId?: string;
}

export const GOODS_TYPES = ["product", "service", "variant", "bundle"] as const;
export type GoodsType = (typeof GOODS_TYPES)[number];

/** Types whose objects are all read in advance, because an account has few of these objects. */
export const WHOLE_TYPES = ["retailstore", "organization", "employee", "uom"] as const;
type WholeType = (typeof WHOLE_TYPES)[number];

export type ShopType = WholeType | GoodsType;

export const SHOP_TYPES: readonly ShopType[] = [...WHOLE_TYPES, ...GOODS_TYPES];

export function isGoodsType(type: string): type is GoodsType {
  return GOODS_TYPES.some((known) => known === type);
}

export function isGoods(object: ShopObject): object is ShopGoods {
  return isGoodsType(object.type);
}

export function shopTypeNamed(text: string): ShopType | undefined {
  return SHOP_TYPES.find((type) => type === text);
}

/**
 * For each type, the types whose objects copy values from it. When an object of the type changes, all objects of these types are read
 * again.
 */
export const DEPENDENT_TYPES: Partial<Record<ShopType, readonly GoodsType[]>> = {
  product: ["variant"],
  uom: GOODS_TYPES,
};

export interface ShopName {
  type: ShopType;
  id: string;
}
