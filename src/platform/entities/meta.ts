/** Meta of an object (reference 5.1). */
export interface Meta<Type extends string = string> {
  readonly href: string;
  readonly metadataHref?: string;
  readonly type: Type;
  readonly mediaType: string;
  readonly uuidHref?: string;
  /** Content of a file or picture; null while a thumbnail is not built. */
  readonly downloadHref?: string | null;
  readonly downloadPermanentHref?: string;
  /** False in the place of an expanded object that the caller must not see. */
  readonly permitted?: boolean;
}

/** Meta of a collection (reference 5.2). `size` counts all elements, not those of the page. */
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

/** An object in its short form. */
export interface Ref<Type extends string = string> {
  readonly meta: Meta<Type>;
}

/** How an object is named in a body: any object that was read will do. */
export interface RefInput<Type extends string = string> {
  readonly meta: { readonly href: string; readonly type: Type; readonly mediaType?: string };
}

/** A moment as the platform writes it: Moscow's wall clock, with or without milliseconds (5.4). */
export type Moment = `${number}-${number}-${number} ${string}`;

/** A list that only its own address gives, until it is expanded; `Element` says what its rows are. */
export interface Nested<Element> {
  readonly meta: CollectionMeta;
  readonly [ELEMENT]?: Element;
}

/** For types alone: no object has it. */
declare const ELEMENT: unique symbol;

/** Value of an additional field, as it is read (8.3). */
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

/** Value of an additional field, as it is written; null clears it. */
export type AttributeInput =
  | { readonly meta: RefInput<"attributemetadata">["meta"]; readonly value: string | number | boolean | RefInput | null }
  | {
      readonly meta: RefInput<"attributemetadata">["meta"];
      readonly file: { readonly filename: string; readonly content: string } | null;
    };
