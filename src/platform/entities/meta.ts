/** Meta of an object (json-api 5.1). */
export interface Meta<Type extends string = string> {
  readonly href: string;
  readonly metadataHref?: string;
  readonly type: Type;
  readonly mediaType: string;
  readonly uuidHref?: string;
  /** Address of a file's or picture's content. Null while a thumbnail is not ready. */
  readonly downloadHref?: string | null;
  readonly downloadPermanentHref?: string;
  /** False when the caller may not see the object, which is then not expanded. */
  readonly permitted?: boolean;
}

/** Meta of a collection (json-api 5.2). `size` counts the whole collection, not the page. */
export interface CollectionMeta {
  readonly href: string;
  readonly type: string;
  readonly mediaType: string;
  readonly size: number;
  readonly limit: number;
  readonly offset: number;
  readonly nextHref?: string;
  readonly previousHref?: string;
}

export interface Ref<Type extends string = string> {
  readonly meta: Meta<Type>;
}

/** Names an object in a body. Any object that was read fits. */
export interface RefInput<Type extends string = string> {
  readonly meta: { readonly href: string; readonly type: Type; readonly mediaType?: string };
}

/** A moment in the platform's form: Moscow's wall time, with or without milliseconds (json-api 5.4). */
export type Moment = `${number}-${number}-${number} ${string}`;

/** A list that has its own address. The object contains the rows only when the list is expanded. `Element` describes the rows. */
export interface Nested<Element> {
  readonly meta: CollectionMeta;
  readonly [ELEMENT]?: Element;
}

/** For types only: no object has this member. */
declare const ELEMENT: unique symbol;

/** The value of an additional field in an answer (json-api 8.3). */
export interface AttributeValue {
  readonly meta: Meta<"attributemetadata">;
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly value: string | number | boolean | NamedRef | null;
  readonly download?: { readonly href: string; readonly mediaType: string };
}

interface NamedRef extends Ref {
  readonly name?: string;
}

/** The value of an additional field in a body. Null clears the field. */
export type AttributeInput =
  | { readonly meta: RefInput<"attributemetadata">["meta"]; readonly value: string | number | boolean | RefInput | null }
  | {
      readonly meta: RefInput<"attributemetadata">["meta"];
      readonly file: { readonly filename: string; readonly content: string } | null;
    };
