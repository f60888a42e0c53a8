import { pathOf } from "../../src/tools/sandbox/addresses/address.ts";
import type { Stored } from "../../src/tools/sandbox/values/stored.ts";
import type { TestSandbox } from "./sandbox.ts";

/** A reference as a body holds it. */
export interface SentReference {
  meta: { href: string; type: string; mediaType: string };
}

/** The reference to a stored object. */
export function sentReference(sandbox: TestSandbox, stored: { type: string; id: string }): SentReference {
  const href = `${sandbox.api}/${pathOf(stored, sandbox.account)}`;
  return { meta: { href, type: stored.type, mediaType: "application/json" } };
}

/** An object of the type in the shop: the first one, or the one with that name. */
export function stocked(sandbox: TestSandbox, type: string, name?: string): Stored {
  const found = [...sandbox.account.objects.all(type).values()].find(({ values }) => name === undefined || values.name === name);
  if (found === undefined) throw new Error(`the shop has no ${type} ${name ?? ""}`);
  return found;
}

/** The reference to an object of the type in the shop. */
export function shopReference(sandbox: TestSandbox, type: string, name?: string): SentReference {
  return sentReference(sandbox, stocked(sandbox, type, name));
}

/** A body with only the fields that the type requires. */
export function leastBody(sandbox: TestSandbox, type: string): Record<string, unknown> {
  const ref = (of: string) => shopReference(sandbox, of);
  switch (type) {
    case "bundle":
      return { name: "Набор", components: [{ assortment: ref("product"), quantity: 1 }] };
    case "variant":
      return { product: ref("product"), characteristics: [{ name: "Цвет", value: `№ ${sandbox.account.objects.all("variant").size}` }] };
    case "group":
      return { name: `Отдел ${sandbox.account.objects.all("group").size}` };
    case "employee":
      return { lastName: "Орлова" };
    case "retailstore":
      return { name: "Ларёк", organization: ref("organization"), store: ref("store"), priceType: ref("pricetype") };
    default:
      return { name: "Имя" };
  }
}
