import { type SandboxAnswer, type TestSandbox, testSandbox } from "./sandbox.ts";

/** The shop that a new sandbox holds, as references for the bodies of requests. */
export interface ShopReferences {
  organization: { meta: unknown };
  retailStore: { meta: unknown };
  store: { meta: unknown };
  /** The buyer of sales that name no buyer. */
  buyer: { meta: unknown };
  otherBuyer: { meta: unknown };
  employee: { meta: unknown };
  /** Goods without marking. */
  product: { meta: unknown };
  otherProduct: { meta: unknown };
  service: { meta: unknown };
  bundle: { meta: unknown };
}

/** Reads the objects that tests of documents refer to. */
export async function shopReferences(sandbox: TestSandbox): Promise<ShopReferences> {
  const list = (type: string) => sandbox.call("GET", `entity/${type}`);
  const [organizations, stores, warehouses, buyers, employees, products, services, bundles] = await Promise.all(
    ["organization", "retailstore", "store", "counterparty", "employee", "product", "service", "bundle"].map(list),
  );
  const row = (answer: SandboxAnswer | undefined, at: number) => ({ meta: answer?.at("rows", at, "meta") });
  return {
    organization: row(organizations, 0),
    retailStore: row(stores, 0),
    store: row(warehouses, 0),
    buyer: row(buyers, 0),
    otherBuyer: row(buyers, 1),
    employee: row(employees, 0),
    product: row(products, 0),
    otherProduct: row(products, 1),
    service: row(services, 0),
    bundle: row(bundles, 0),
  };
}

/** Opens a shift at the first point of sale and returns its reference. */
export async function openShift(sandbox: TestSandbox, shop: ShopReferences, more: object = {}): Promise<{ meta: unknown; href: string }> {
  const made = await sandbox.call("POST", "entity/retailshift", {
    organization: shop.organization,
    retailStore: shop.retailStore,
    ...more,
  });
  if (made.status !== 200) throw new Error(made.text);
  return { meta: made.at("meta"), href: String(made.at("meta", "href")) };
}

/** A new sandbox whose first point of sale has an open shift. */
export async function shopOnShift(): Promise<{ sandbox: TestSandbox; shop: ShopReferences; shift: { meta: unknown; href: string } }> {
  const sandbox = await testSandbox();
  const shop = await shopReferences(sandbox);
  return { sandbox, shop, shift: await openShift(sandbox, shop) };
}
