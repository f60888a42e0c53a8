import type { ItemKind } from "../../model/subjects.ts";
import type { TaxSystem } from "../../model/tax.ts";

/** An object of the platform in the form in which the server stores it. */
export type ShopObject = ShopStore | ShopOrganization | ShopEmployee | ShopUnit | ShopGoods;

/** A point of sale. */
export interface ShopStore {
  type: "retailstore";
  id: string;
  name: string;
  address?: string;
  archived?: true;
  organizationId?: string;
  /** Tax system of the receipts; absent when the point of sale names none. */
  taxSystem?: TaxSystem;
  /** Employees who may sell at this point of sale. */
  cashierIds: string[];
}

/** A company that the account owns. */
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

/** Goods. A value that a variant does not have is copied from its product. */
export interface ShopGoods {
  type: GoodsType;
  id: string;
  kind?: ItemKind;
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  marked?: true;
  /** The folder that holds the goods. A variant has the folder of its product. */
  folderId?: string;
}

export const GOODS_TYPES = ["product", "service", "variant", "bundle"] as const;
export type GoodsType = (typeof GOODS_TYPES)[number];

/**
 * Types of which all objects are read in advance, because an account has few of them. Goods are read when they are sold. Goods that
 * are stored are also read again after a change.
 */
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

/** By type: the types whose objects copy values from an object of this type. They are read again when that object changes. */
export const DEPENDENT_TYPES: Partial<Record<ShopType, readonly GoodsType[]>> = {
  product: ["variant"],
  uom: GOODS_TYPES,
};

/** Type and id of an object at the platform. */
export interface ShopName {
  type: ShopType;
  id: string;
}
