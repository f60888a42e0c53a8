import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { StockTable } from "../stock/stock.ts";
import type { JsonObject } from "../values/json.ts";
import type { Element, Reference, Stored, Values } from "../values/stored.ts";
import type { Field } from "./field.ts";

/** The type of an element inside an object. The element's address is below the object's address (`positions`, `components`). */
export interface ElementType {
  /** `meta.type` of an element. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** A PUT of the owner adds and changes elements, and keeps all other stored elements (json-api D12). */
  readonly merges?: true;
  /** For elements that a body writes as bare references: the field that gets the reference (the employee of a cashier). */
  readonly refers?: string;
  /** Answers have neither `id` nor `accountId`. The last segment of the address is the id (images and files). */
  readonly anonymous?: true;
  /** Unlike other types, a creation answers 201, and a deletion answers 204 without a body (json-api 13.13). */
  readonly plainStatuses?: true;
  /** The elements' own addresses are read-only. */
  readonly readOnly?: true;
  /** Returns the path of the list in the element's address, if another list shows the element (a cashier record in an employee). */
  home?(element: Element): string;
  /** Checks a sent element beyond its fields' kinds. Throws a `Refusal`. */
  check?(sent: Readonly<Record<string, unknown>>, before: Values | undefined): void;
  /** Returns the values with defaults. Throws a `Refusal`. */
  complete?(values: Values, before: Values | undefined, id: string, reading: Reading): Values;
  /** The maximum number of elements, and the error code for more. */
  readonly max?: { readonly count: number; readonly code: number };
  /** Makes a new element that its fields do not describe completely (a file's content). Throws a `Refusal`. */
  accept?(sent: Readonly<Record<string, unknown>>, reading: Reading): Element;
  /** Returns additions to an element's meta and body (an image's addresses). */
  decorate?(element: Element, href: string, reading: Reading): { meta: JsonObject; body: JsonObject };
}

/** What a type's rules may use in a write. */
export interface Writing {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The moment of the request, equal for all its elements. */
  readonly nowMs: number;
  /** Names of the fields in the body, including null fields. */
  readonly given: ReadonlySet<string>;
}

/**
 * How a type is searched (json-api 6.4). `word-prefix`: every searched word begins a word of some field. `substring`: one field contains
 * the whole searched text. `inside`: each searched word is a part of some field. `list.field` is a field of list elements. `phone` and
 * `barcodes` have their own comparisons.
 */
export interface Search {
  readonly match: "word-prefix" | "substring" | "inside";
  readonly fields: readonly string[];
}

/** An operation at a type's addresses. A type refuses an operation that it does not offer, with 1010, 1011, 1026, 1029 or 1066. */
export type Offer = "create" | "update" | "delete" | "template" | "trash" | "mass";

/**
 * One type of the platform as data: the tables of json-api 12 and 13, and functions for rules beyond tables. A new type is one file and one
 * line in the catalogue.
 */
export interface EntityType {
  /** The path segment, and `meta.type`. */
  readonly name: string;
  /** `meta.type`, if it is not the name. */
  readonly metaType?: string;
  /** The type has no address `entity/{type}`: its objects have addresses below another type. */
  readonly inner?: true;
  readonly fields: readonly Field[];
  /** Nested collections by field name. */
  readonly lists: Readonly<Record<string, ElementType>>;
  readonly offers: ReadonlySet<Offer>;
  /** The type that defines the additional fields (services and bundles use `product`). Undefined: no additional fields. */
  readonly attributesOf: string | undefined;
  readonly states: boolean;
  /** Whether `/metadata` exists and `meta.metadataHref` links to it. */
  readonly metadata: boolean;
  /** Returns `createShared` for the type's metadata (json-api 8.1). Absent: false. */
  createShared?(reading: Pick<Reading, "account" | "call">): boolean;
  /** Documents have numbers, a recycle bin and `isDeleted`. */
  readonly document: boolean;
  /** The name in `meta.uuidHref`, the link to the web application. Absent: no link. */
  readonly webName?: string;
  /** Returns the metadata path below `{api}` and the `webName`, if the object determines them (an element of a custom directory). */
  addresses?(reference: Reference, account: Account): { readonly metadata: string; readonly webName?: string };
  /** A filter by `id` also finds archived objects (json-api 6.2). */
  readonly idFindsArchived?: true;
  readonly search: Search;
  /** The fields for `order` (json-api 6.3). */
  readonly order: readonly string[];
  /** Throws a `Refusal` if the caller may not use the type's addresses for the action. */
  guard?(action: "read" | "create" | "update" | "delete", call: Call): void;
  /** Whether the caller sees the object. A hidden object is missing: 404, and absent from lists. */
  visible?(stored: Stored, call: Call): boolean;
  /** The type of objects that are deleted with this object (variants with their product), and its field that refers to this object. */
  readonly parts?: { readonly type: string; readonly field: string };
  /** The types of the listed objects. The type itself has no objects. */
  readonly gathers?: readonly string[];
  /** Returns a new object's draft with defaults. Throws a `Refusal`. */
  complete?(draft: Values, writing: Writing): Values;
  /** Returns a template's draft (json-api 7.1) with values from its basis. Throws a `Refusal`. */
  template?(draft: Values, writing: Writing): Values;
  /** Checks the whole object, and returns the draft with computed sums and names. Throws a `Refusal`. */
  settle?(draft: Values, before: Stored | undefined, writing: Writing): Values;
  /** Throws a `Refusal` if the object cannot be deleted now. */
  release?(stored: Stored, writing: Writing): void;
  /** Throws a `Refusal` if a repeated `syncId` (json-api 7.6) may not return the earlier object. */
  repeated?(earlier: Stored): void;
  /** What `/metadata` shows instead of fields and states: a list of this name, with the objects of this type. */
  readonly describes?: { readonly list: string; readonly type: string };
  /** Returns values that are computed at each read. */
  derive?(stored: Stored, account: Account): Values;
}

export type Catalogue = ReadonlyMap<string, EntityType>;

/** What rendering of stored objects needs. */
export interface Reading {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The value of the query parameter `fields` (json-api 6.5). */
  readonly asked?: string;
  /** Returns the current stock, computed once for the answer. Present for `fields=stock`. */
  readonly stock?: () => StockTable;
  /** Rendered parts that this answer repeats. Absent for a small answer. */
  readonly shared?: SharedParts;
}

/** Rendered references and objects by id. A thousand goods share a folder, a unit and a currency, so each is rendered once. */
interface SharedParts {
  readonly references: Map<string, JsonObject>;
  readonly wholes: Map<string, JsonObject>;
}
