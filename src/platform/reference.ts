import { PlatformFailure } from "./api/failure.ts";
import type { Meta, RefInput } from "./entities/meta.ts";

/** Names an object: the object itself, its meta or its address. */
export type Target = { readonly meta: { readonly href: string } } | { readonly href: string } | string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The address without its query: addresses in rows of reports have a query (json-api 14.1). Equal addresses mean the same object. */
export function hrefOf(target: Target): string {
  const href = typeof target === "string" ? target : "href" in target ? target.href : target.meta.href;
  return href.split("?")[0] ?? "";
}

/** The last segment of the address. Throws `unsayable` when it is not an id. */
export function idOf(target: Target): string {
  const id = hrefOf(target).split("/").at(-1) ?? "";
  if (!isUuid(id)) throw new PlatformFailure("unsayable", `${hrefOf(target)} does not end in an id`);
  return id;
}

/** Names an object in a body, from its id. `url`: the base address of the API. */
export function refTo<Type extends string>(url: string, type: Type, id: string): RefInput<Type> & { readonly meta: Meta<Type> } {
  if (!isUuid(id)) throw new PlatformFailure("unsayable", `${id} is no id`);
  return { meta: { href: `${url}/entity/${type}/${id}`, type, mediaType: "application/json" } };
}

/** Names an object that was read, with as few members as possible. */
export function refOf<Type extends string>({ meta }: { readonly meta: Meta<Type> }): RefInput<Type> {
  return { meta: { href: hrefOf(meta), type: meta.type, mediaType: meta.mediaType } };
}
