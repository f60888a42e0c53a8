import type { Account } from "../../account/account.ts";
import { type Reference, referenceIn, shapesIn, type Value, type Values } from "../../values/stored.ts";

/** Returns the product's name with the values of the characteristics, like `Футболка (синий, XL)` (json-api 13.2). */
export function variantName(product: string, characteristics: Value | undefined): string {
  return `${product} (${shapesIn(characteristics)
    .map(({ value }) => String(value))
    .join(", ")})`;
}

/** Renames the variants of a renamed product. */
export function renameVariants(product: Reference, name: string, account: Account): void {
  if (!account.uses.of(product).has("variant")) return;
  for (const stored of account.objects.all("variant").values()) {
    if (referenceIn(stored.values.product)?.id !== product.id) continue;
    const values: Values = { ...stored.values, name: variantName(name, stored.values.characteristics) };
    account.put({ ...stored, values });
  }
}
