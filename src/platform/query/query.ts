import { present } from "../../kernel/present.ts";
import type { PlatformCall } from "../api/answer.ts";
import { PlatformFailure } from "../api/failure.ts";
import type { EntityType } from "../entities/entity-type.ts";
import type { Path } from "../entities/read.ts";
import { type Filter, filterText } from "./filter.ts";

/** Reference 6.1: the most and the default; with `expand` or `fields` a list takes no more than 100, and ignores both without (6.5). */
export const MAX_LIMIT = 1000;
const MAX_EXPANDED_LIMIT = 100;

/** Data that is not sent by default: one value only (3042). */
type ExtraField = "stock" | "declaration" | "minimumStock" | "downloadPermanentHref";

/** Keys to sort by, the first one first; a pair names the direction. */
export type Order<Key extends string> = Key | readonly (Key | readonly [Key, "asc" | "desc"])[];

/** What is expanded: paths of the type's table, at most three deep. */
export interface Expandable<T extends EntityType, P extends string> {
  readonly expand?: readonly (P extends Path<T["fields"], P> ? P : never)[];
}

export interface ListQuery<T extends EntityType> {
  readonly filter?: Filter<T["fields"], T["keys"]>;
  readonly order?: Order<T["order"][number]>;
  /** Loose search over the main texts, better matches first (6.4). */
  readonly search?: string;
  readonly fields?: ExtraField;
}

/** Bounds of one request. */
export interface Bounds {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The most that is taken of the answer, unpacked; 16 MiB, and 64 MiB of a file, where it is not said. More fails as `unavailable`. */
  readonly maxBytes?: number;
}

/** The bounds alone, of a query that has them beside other things. */
export function boundsOf({ signal, timeoutMs, maxBytes }: Bounds): Bounds {
  return {
    ...present({ signal, timeoutMs, maxBytes }),
  };
}

/** Of a request that changes something. */
export interface Writing extends Bounds {
  /** Webhooks whose address begins so hear nothing of it (9.6): one's own, so as not to be told what one has done oneself. */
  readonly muted?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Parameters of a list. Throws `unsayable` for what would be refused, or ignored in silence. */
export function listParameters(
  query: { filter?: object; order?: Order<string>; search?: string; fields?: string; expand?: readonly string[] },
  limit: number | undefined,
): NonNullable<PlatformCall["query"]> & { limit: string } {
  const { filter, order, search, fields, expand = [] } = query;
  const most = expand.length > 0 || fields !== undefined ? MAX_EXPANDED_LIMIT : MAX_LIMIT;
  const stated = limit ?? most;
  if (!Number.isInteger(stated) || stated < 0 || stated > most)
    throw new PlatformFailure("unsayable", `a limit of ${stated}: here at most ${most} rows at once`);
  return {
    filter: filterText(filter),
    order: orderText(order),
    search: search === "" ? undefined : search,
    fields,
    expand: expandText(expand),
    limit: String(stated),
  };
}

export function expandText(expand: readonly string[] = []): string | undefined {
  const deep = expand.find((path) => path.split(".").length > 3);
  if (deep !== undefined) throw new PlatformFailure("unsayable", `${deep} is more than three levels deep`);
  return expand.length === 0 ? undefined : expand.join(",");
}

export function orderText(order: Order<string> | undefined): string | undefined {
  const keys = keysOf(order);
  return keys.length === 0 ? undefined : keys.map(([key, direction]) => (direction === "asc" ? key : `${key},desc`)).join(";");
}

export function keysOf(order: Order<string> | undefined): readonly (readonly [string, "asc" | "desc"])[] {
  if (order === undefined) return [];
  if (typeof order === "string") return [[order, "asc"]];
  return order.map((each) => (typeof each === "string" ? ([each, "asc"] as const) : each));
}
