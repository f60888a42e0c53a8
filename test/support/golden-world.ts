import type { GoldenField } from "./golden-fields.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "./sandbox.ts";
import { leastBody, type SentReference, shopReference } from "./sandbox-bodies.ts";

/** A sandbox that has an object for every field of references in the tables of json-api. */
export interface GoldenWorld {
  readonly sandbox: TestSandbox;
  /** A body with only the required fields. Where the type demands it, each call makes another body. */
  least(type: string): Record<string, unknown>;
  /** The same body with every reference of the table that can have a value. */
  full(type: string, rows: readonly GoldenField[]): Record<string, unknown>;
  /** An object for a field of references. Undefined: this account has none. */
  target(type: string, field: string): SentReference | undefined;
  close(): Promise<void>;
}

/** The type that a reference field leads to. `type.field` has precedence over `field`. */
const TARGETS: Readonly<Record<string, string>> = {
  acquire: "counterparty",
  agent: "counterparty",
  "retaildrawercashin.agent": "employee",
  "retaildrawercashout.agent": "employee",
  agentAccount: "account of counterparty",
  contract: "contract",
  country: "country",
  createOrderWithState: "state of customerorder",
  customerOrder: "customerorder",
  demand: "retaildemand",
  group: "group",
  orderToState: "state of customerorder",
  organization: "organization",
  organizationAccount: "account of organization",
  owner: "employee",
  product: "product",
  productFolder: "productfolder",
  project: "project",
  qrAcquire: "counterparty",
  retailShift: "retailshift",
  retailStore: "retailstore",
  salesChannel: "saleschannel",
  store: "store",
  supplier: "counterparty",
  uom: "uom",
};

/** Arrays and collections of references, with the type of their references. */
const MANY: Readonly<Record<string, string>> = {
  cashiers: "employee",
  customerOrderStates: "state of customerorder",
  masterRetailStores: "retailstore",
  productFolders: "productfolder",
};

export async function goldenWorld(): Promise<GoldenWorld> {
  const sandbox = await testSandbox();
  const made = await targetsOf(sandbox);
  let turn = 0;
  const get = (name: string): SentReference => {
    const found = made.get(name);
    if (found === undefined) throw new Error(`the world has no ${name}`);
    return found;
  };
  const least = (type: string): Record<string, unknown> => {
    turn += 1;
    if (type === "variant") return { product: get("product"), characteristics: [{ name: "Партия", value: `№ ${turn}` }] };
    return leastDocument(type, get) ?? leastWebhook(type, turn) ?? leastBody(sandbox, type);
  };
  const target = (type: string, field: string): SentReference | undefined => {
    if (field === "state") return made.get(`state of ${type}`);
    const name = TARGETS[`${type}.${field}`] ?? TARGETS[field];
    return name === undefined ? undefined : get(name);
  };
  return {
    sandbox,
    least,
    target,
    full(type, rows) {
      const filled = rows
        .filter(({ write }) => write !== "ro")
        .map(({ name }): [string, unknown] => [name, MANY[name] === undefined ? target(type, name) : [get(MANY[name])]]);
      return { ...Object.fromEntries(filled.filter(([, value]) => value !== undefined)), ...least(type) };
    },
    close: () => sandbox.close(),
  };
}

/** The fields that documents need (json-api 12.1 to 12.5, 13.9, D26, D33). */
function leastDocument(type: string, get: (name: string) => SentReference): Record<string, unknown> | undefined {
  const [organization, retailStore, retailShift] = [get("organization"), get("retailstore"), get("retailshift")];
  switch (type) {
    case "retailshift":
      return { organization, retailStore };
    case "retaildemand":
      return { retailShift };
    case "retailsalesreturn":
      return { organization, retailStore, retailShift, store: get("store"), agent: get("counterparty"), cashSum: 0, noCashSum: 0 };
    case "retaildrawercashin":
    case "retaildrawercashout":
      return { organization, retailShift, agent: get("employee"), sum: 100 };
    case "customerorder":
      return { organization, agent: get("counterparty") };
    default:
      return undefined;
  }
}

/** Two webhooks must not watch the same thing, so each call takes another type. */
function leastWebhook(type: string, turn: number): Record<string, unknown> | undefined {
  const url = `https://hooks.example/${turn}`;
  const watched = ["product", "service", "counterparty", "employee", "store", "uom", "project", "contract"];
  if (type === "webhook") return { url, action: "CREATE", entityType: watched[turn % watched.length] };
  return type === "webhookstock" ? { url, stockType: "stock", reportType: "all" } : undefined;
}

const STOCKED = "counterparty country employee group organization product productfolder retailstore store uom".split(" ");

/** The shop's own objects, and objects that a new shop lacks. The latter are made over HTTP, as a client does. */
async function targetsOf(sandbox: TestSandbox): Promise<Map<string, SentReference>> {
  const made = new Map(STOCKED.map((type) => [type, shopReference(sandbox, type)]));
  const keep = (name: string, answer: SandboxAnswer, ...at: (string | number)[]): void => {
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
    made.set(name, { meta: answer.at(...at, "meta") as SentReference["meta"] });
  };
  const post = (path: string, body: object) => sandbox.call("POST", path, body);
  for (const owner of ["counterparty", "organization"]) {
    const body = { name: `Имя ${owner}`, accounts: [{ accountNumber: "40702810000000000001" }] };
    const answer = await post(`entity/${owner}?expand=accounts`, body);
    keep(owner, answer);
    keep(`account of ${owner}`, answer, "accounts", "rows", 0);
  }
  for (const type of ["counterparty", "retaildemand", "retailsalesreturn", "retaildrawercashin", "retaildrawercashout", "customerorder"]) {
    keep(`state of ${type}`, await post(`entity/${type}/metadata/states`, { name: "Ждёт", color: 1, stateType: "Regular" }));
  }
  for (const type of ["project", "saleschannel"]) keep(type, await post(`entity/${type}`, { name: "Имя", type: "OTHER" }));
  const parties = { ownAgent: made.get("organization"), agent: made.get("counterparty") };
  keep("contract", await post("entity/contract", { name: "Договор", ...parties }));
  const organization = made.get("organization");
  keep("retailshift", await post("entity/retailshift", { organization, retailStore: made.get("retailstore"), store: made.get("store") }));
  const agent = made.get("counterparty");
  keep("customerorder", await post("entity/customerorder", { organization, agent }));
  keep("retaildemand", await post("entity/retaildemand", { retailShift: made.get("retailshift"), agent }));
  return made;
}
