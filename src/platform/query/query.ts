import { present } from "../../kernel/present.ts";
import type { PlatformCall } from "../api/answer.ts";
import { PlatformFailure } from "../api/failure.ts";
import type { EntityType } from "../entities/entity-type.ts";
import type { Path } from "../entities/read.ts";
import { type Filter, filterText } from "./filter.ts";

/**
 * The largest page, and the default (json-api 6.1). With `expand` or `fields` the largest page has 100 rows: a larger page ignores `expand`
 * and `fields` (json-api 6.5).
 */
export const MAX_LIMIT = 1000;
const MAX_EXPANDED_LIMIT = 100;

/** Data that the platform sends only on request. A request may ask for one kind only (error 3042). */
type ExtraField = "stock" | "declaration" | "minimumStock" | "downloadPermanentHref";

/** Keys to sort by, the most important first. A pair names the direction. */
export type Order<Key extends string> = Key | readonly (Key | readonly [Key, "asc" | "desc"])[];

/** The paths to expand, from the type's table, at most three steps deep. */
export interface Expandable<T extends EntityType, P extends string> {
  readonly expand?: readonly (P extends Path<T["fields"], P> ? P : never)[];
}

export interface ListQuery<T extends EntityType> {
  readonly filter?: Filter<T["fields"], T["keys"]>;
  readonly order?: Order<T["order"][number]>;
  /** Loose search in the main texts, best matches first (json-api 6.4). */
  readonly search?: string;
  readonly fields?: ExtraField;
}

export interface Bounds {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Longest answer in bytes, unpacked. Default: 16 MiB; 64 MiB for a file. A longer answer fails as `unavailable`. */
  readonly maxBytes?: number;
}

/** Returns only the bounds of a query that has other members too. */
export function boundsOf({ signal, timeoutMs, maxBytes }: Bounds): Bounds {
  return {
    ...present({ signal, timeoutMs, maxBytes }),
  };
}

export interface Writing extends Bounds {
  /** Webhooks whose address begins with one of these prefixes get no notification (json-api 9.6), such as your own webhook. */
  readonly muted?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parameters of a list. Throws `unsayable` for parameters that the platform would refuse or silently ignore. */
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
