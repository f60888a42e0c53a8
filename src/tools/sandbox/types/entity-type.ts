import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { StockTable } from "../stock/stock.ts";
import type { JsonObject } from "../values/json.ts";
import type { Element, Reference, Stored, Values } from "../values/stored.ts";
import type { Field } from "./field.ts";

/** A type of element that lives inside an object and has an address below it (`positions`, `components`). */
export interface ElementType {
  /** `meta.type` of an element. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** A PUT of the owner adds elements to the stored ones (D12) instead of replacing them. */
  readonly merges?: true;
  /** A body writes an element as a bare reference, which is kept in this field (cashiers of a point of sale). */
  readonly refers?: string;
  /** An element has neither `id` nor `accountId` in answers. The end of its address is its id (images and files). */
  readonly anonymous?: true;
  /** A creation answers 201 and a deletion 204 without a body, unlike all other types (json-api 13.13). */
  readonly plainStatuses?: true;
  /** The addresses of the elements can only be read. */
  readonly readOnly?: true;
  /** Returns the path of the list that an element belongs to, when it differs from the list that shows the element. */
  home?(element: Element): string;
  /** Checks a sent element beyond the kinds of its fields. Throws a `Refusal`. */
  check?(sent: Readonly<Record<string, unknown>>, before: Values | undefined): void;
  /** Returns the element's values with defaults. Throws a `Refusal`. */
  complete?(values: Values, before: Values | undefined, id: string, reading: Reading): Values;
  /** The largest number of elements, and the code for more. */
  readonly max?: { readonly count: number; readonly code: number };
  /** Makes a new element when its fields alone do not describe it (a file: its content). Throws a `Refusal`. */
  accept?(sent: Readonly<Record<string, unknown>>, reading: Reading): Element;
  /** Returns what an element's meta and body contain besides the table (an image: its addresses). */
  decorate?(element: Element, href: string, reading: Reading): { meta: JsonObject; body: JsonObject };
}

/** The parts that the rules of a type may use while an object is written. */
export interface Writing {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The moment of the request, the same for all its elements. */
  readonly nowMs: number;
  /** Names of the fields in the body, also of those that are null. */
  readonly given: ReadonlySet<string>;
}

/**
 * How a type is searched (json-api 6.4). `word-prefix`: every searched word begins a word of some field. `substring`: one field
 * contains the whole searched text. `inside`: every searched word stands in some field. `list.field` is a field of a list's
 * elements. `phone` and `barcodes` are compared in their own ways.
 */
export interface Search {
  readonly match: "word-prefix" | "substring" | "inside";
  readonly fields: readonly string[];
}

/** An operation at a type's addresses. A type refuses operations that it does not offer: 1010, 1011, 1026, 1029 or 1066. */
export type Offer = "create" | "update" | "delete" | "template" | "trash" | "mass";

/**
 * One type of the platform as data: the tables of json-api 12 and 13, and functions for rules that tables cannot express. A
 * new type is one file and one line of the catalogue.
 */
export interface EntityType {
  /** The path segment, and `meta.type`. */
  readonly name: string;
  /** `meta.type`, if it differs from the name. */
  readonly metaType?: string;
  /** The type has no address at `entity/{type}`: its objects have addresses below another type. */
  readonly inner?: true;
  readonly fields: readonly Field[];
  /** Nested collections by the name of their field. */
  readonly lists: Readonly<Record<string, ElementType>>;
  readonly offers: ReadonlySet<Offer>;
  /**
   * The type that defines its additional fields (services and bundles use the product's). Undefined: no additional fields.
   */
  readonly attributesOf: string | undefined;
  readonly states: boolean;
  /** Whether `/metadata` answers and `meta.metadataHref` names it. */
  readonly metadata: boolean;
  /** Returns the first value of `createShared` in its metadata (json-api 8.1). Absent: false. */
  createShared?(reading: Pick<Reading, "account" | "call">): boolean;
  /** Whether the type is a document: documents have numbers, a recycle bin and `isDeleted`. */
  readonly document: boolean;
  /** The name in `meta.uuidHref`, which links to the web application. Absent: no such link. */
  readonly webName?: string;
  /**
   * Returns both addresses where they depend on the object (an element of a custom directory). `metadata` is a path below
   * `{api}`.
   */
  addresses?(reference: Reference, account: Account): { readonly metadata: string; readonly webName?: string };
  /** A filter by `id` also finds archived objects (json-api 6.2). */
  readonly idFindsArchived?: true;
  readonly search: Search;
  /** Fields that `order` accepts (json-api 6.3). */
  readonly order: readonly string[];
  /** Throws a `Refusal` when the caller may not use the type's addresses for the action. */
  guard?(action: "read" | "create" | "update" | "delete", call: Call): void;
  /** Whether this caller sees the object. A hidden object is missing for the caller: 404, and absent from lists. */
  visible?(stored: Stored, call: Call): boolean;
  /** A type whose objects are deleted with this object (variants with their product), and its field that points here. */
  readonly parts?: { readonly type: string; readonly field: string };
  /** The types whose objects the list shows. The type has no objects of its own. */
  readonly gathers?: readonly string[];
  /** Returns the draft of a new object with defaults. Throws a `Refusal`. */
  complete?(draft: Values, writing: Writing): Values;
  /**
   * Returns the draft of a template (json-api 7.1) with further values, taken from the object on which the template is based.
   * Throws a `Refusal`.
   */
  template?(draft: Values, writing: Writing): Values;
  /** Returns the draft with computed sums and names, after the rules over the whole object. Throws a `Refusal`. */
  settle?(draft: Values, before: Stored | undefined, writing: Writing): Values;
  /** Throws a `Refusal` when the object cannot be deleted now. */
  release?(stored: Stored, writing: Writing): void;
  /** Throws a `Refusal` when an object that was found by a repeated `syncId` (json-api 7.6) may not be answered. */
  repeated?(earlier: Stored): void;
  /** For a type whose `/metadata` lists objects instead of fields and states: the type of these objects, and the name of the list. */
  readonly describes?: { readonly list: string; readonly type: string };
  /** Returns values that are computed at each reading. */
  derive?(stored: Stored, account: Account): Values;
}

/** The types that have addresses, by name. */
export type Catalogue = ReadonlyMap<string, EntityType>;

/** The parts needed to turn stored objects into answers. */
export interface Reading {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The additional field that `fields` asks for. */
  readonly asked?: string;
  /** Returns the current stock, computed once for the answer. Present when `fields=stock` asks for it. */
  readonly stock?: () => StockTable;
  /** Rendered parts that this answer uses more than once. Absent for an answer with few objects. */
  readonly shared?: SharedParts;
}

/**
 * Rendered references and objects, by id. A thousand goods point at the same folder, unit and currency, so each is rendered
 * once.
 */
interface SharedParts {
  readonly references: Map<string, JsonObject>;
  readonly wholes: Map<string, JsonObject>;
}
