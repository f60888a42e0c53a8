import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { StockTable } from "../stock/stock.ts";
import type { JsonObject } from "../values/json.ts";
import type { Element, Reference, Stored, Values } from "../values/stored.ts";
import type { Field } from "./field.ts";

/** A type of element that lives inside of an object and has an address below it (`positions`, `components`). */
export interface ElementType {
  /** `meta.type` of an element. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** On PUT of the owner elements join those that are there (D12) instead of taking their place. */
  readonly merges?: true;
  /** In bodies an element is a bare reference, kept in this field (cashiers of a point of sale). */
  readonly refers?: string;
  /** It has neither id nor account: the id is the end of its address (images and files). */
  readonly anonymous?: true;
  /** Making one answers 201, deleting one 204 without a body, unlike anything else (13.13). */
  readonly plainStatuses?: true;
  /** Its addresses only answer. */
  readonly readOnly?: true;
  /** The path of the list that an element is at home in, when that is another than where it was met. */
  home?(element: Element): string;
  /** What a body may not say of an element, beside the kinds of its fields. Throws a `Refusal`. */
  check?(sent: Readonly<Record<string, unknown>>, before: Values | undefined): void;
  /** What an element has without being told. Throws a `Refusal`. */
  complete?(values: Values, before: Values | undefined, id: string, reading: Reading): Values;
  /** How many there may be, and the code for more. */
  readonly max?: { readonly count: number; readonly code: number };
  /** Makes a new element of what was sent, where that is more than its fields (a file: its content). Throws a `Refusal`. */
  accept?(sent: Readonly<Record<string, unknown>>, reading: Reading): Element;
  /** What an element's meta and body have besides the table (an image: its addresses). */
  decorate?(element: Element, href: string, reading: Reading): { meta: JsonObject; body: JsonObject };
}

/** What a type's rules may look at while an object is written. */
export interface Writing {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** One moment for the whole request. */
  readonly nowMs: number;
  /** Names that the body carried, also with null. */
  readonly given: ReadonlySet<string>;
}

/**
 * How a type is searched (6.4): every word of the wish begins a word of some field, the whole wish stands inside of one field,
 * or every word stands anywhere in some field. `list.field` is a field of the elements of a list; `phone` and `barcodes` have
 * ways of their own.
 */
export interface Search {
  readonly match: "word-prefix" | "substring" | "inside";
  readonly fields: readonly string[];
}

/** What may be done at a type's addresses; the rest is refused with 1009–1011 and 1026. */
export type Offer = "create" | "update" | "delete" | "template" | "trash" | "mass";

/**
 * One type of the platform as data: the tables of chapters 12 and 13 and, where tables do not suffice, its rules.
 * A new type is one file and one line of the catalogue.
 */
export interface EntityType {
  /** Path segment and `meta.type`. */
  readonly name: string;
  /** `meta.type` where that is another. */
  readonly metaType?: string;
  /** Has no address at `entity/{type}`: lives below the metadata of another type. */
  readonly inner?: true;
  readonly fields: readonly Field[];
  /** Nested collections by the name of their field. */
  readonly lists: Readonly<Record<string, ElementType>>;
  readonly offers: ReadonlySet<Offer>;
  /** The type whose additional fields it carries (services and bundles use the product's); undefined: none. */
  readonly attributesOf: string | undefined;
  readonly states: boolean;
  /** Whether `/metadata` answers, and `meta.metadataHref` names it. */
  readonly metadata: boolean;
  /** What `createShared` of its metadata is in a fresh account (8.1); absent: false. */
  createShared?(reading: Pick<Reading, "account" | "call">): boolean;
  /** Documents have numbers, a recycle bin and `isDeleted`. */
  readonly document: boolean;
  /** Whether `meta.uuidHref` leads to the web application, and by which name. */
  readonly webName?: string;
  /** Both of these where they depend on the object (an element of a custom directory); `metadata` is a path below `{api}`. */
  addresses?(reference: Reference, account: Account): { readonly metadata: string; readonly webName?: string };
  /** A filter by `id` looks into the archive too (6.2). */
  readonly idFindsArchived?: true;
  readonly search: Search;
  /** Fields of `order` (6.3). */
  readonly order: readonly string[];
  /** Who may use the type's addresses at all, and for what. Throws a `Refusal`. */
  guard?(action: "read" | "create" | "update" | "delete", call: Call): void;
  /** Whether this caller sees the object; what is hidden is not there (404, not in lists). */
  visible?(stored: Stored, call: Call): boolean;
  /** Objects of another type that are deleted with it (variants with their product), and the field that leads here. */
  readonly parts?: { readonly type: string; readonly field: string };
  /** A list of other types: it has no objects of its own. */
  readonly gathers?: readonly string[];
  /** Fills what a new object has without being told. Throws a `Refusal`. */
  complete?(draft: Values, writing: Writing): Values;
  /** What a template (7.1) is filled with beyond that, out of the basis it was asked for. Throws a `Refusal`. */
  template?(draft: Values, writing: Writing): Values;
  /** Sums and names that follow from the rest, and the rules over the whole. Throws a `Refusal`. */
  settle?(draft: Values, before: Stored | undefined, writing: Writing): Values;
  /** Why the object cannot be deleted now. Throws a `Refusal`. */
  release?(stored: Stored, writing: Writing): void;
  /** A repeated `syncId` found this object (7.6): whether it may be answered. Throws a `Refusal`. */
  repeated?(earlier: Stored): void;
  /** Objects that `/metadata` tells of, by the name of the list there, in the place of the fields and states that many types have. */
  readonly describes?: { readonly list: string; readonly type: string };
  /** Values that are computed when somebody reads them. */
  derive?(stored: Stored, account: Account): Values;
}

/** The types that have addresses, by name. */
export type Catalogue = ReadonlyMap<string, EntityType>;

/** What whoever turns stored objects into answers has at hand. */
export interface Reading {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The field beyond the usual ones that `fields` asks for. */
  readonly asked?: string;
  /** Stock as it is now, computed once for the answer: there when `fields=stock` asks for it. */
  readonly stock?: () => StockTable;
  /** Parts of this answer that are the same wherever they stand; absent where only a few are written. */
  readonly shared?: SharedParts;
}

/** A thousand goods point at the same folder, unit and currency: what is written of these is made once. */
interface SharedParts {
  readonly references: Map<string, JsonObject>;
  readonly wholes: Map<string, JsonObject>;
}
