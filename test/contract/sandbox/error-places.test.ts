import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

type Step = string | number;

/** A text with a mark at the beginning of the value that the test is about. */
interface Marked {
  text: string;
  line: number;
  column: number;
}

/**
 * The JSON of the value with white space between its tokens, and the place of the value at the end of the path. For a member the place is
 * the quote of its name, for an element its first character (json-api 10.1: `line`, `column`).
 */
function marked(value: unknown, path: readonly Step[], spaces: readonly string[]): Marked {
  let text = "";
  let mark = -1;
  let turn = 0;
  const write = (token: string) => {
    const space = spaces[turn % spaces.length] ?? "";
    turn += 1;
    text += space + token;
    return text.length - token.length;
  };
  const print = (at: unknown, left: readonly Step[] | undefined, start: number | undefined) => {
    const here = left?.length === 0;
    const note = (offset: number) => {
      if (here) mark = start ?? offset;
    };
    if (typeof at !== "object" || at === null) return note(write(JSON.stringify(at)));
    note(write(Array.isArray(at) ? "[" : "{"));
    for (const [index, [name, each]] of Object.entries(at).entries()) {
      if (index > 0) write(",");
      const step = Array.isArray(at) ? index : name;
      const named = Array.isArray(at) ? undefined : write(JSON.stringify(name));
      if (named !== undefined) write(":");
      print(each, left !== undefined && left[0] === step ? left.slice(1) : undefined, named);
    }
    write(Array.isArray(at) ? "]" : "}");
  };
  print(value, path, undefined);
  const before = text.slice(0, mark).split("\n");
  return { text, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** The paths to everything in a body whose form is checked. Metas and ids are left out. */
function waysIn(value: unknown, way: readonly Step[] = []): Step[][] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const deeper = inner
    .filter(([name]) => name !== "meta" && name !== "id")
    .flatMap(([name, each]) => waysIn(each, [...way, Array.isArray(value) ? Number(name) : name]));
  return way.length === 0 ? deeper : [[...way], ...deeper];
}

function replaced(value: unknown, [step, ...rest]: readonly Step[], by: (old: unknown) => unknown): unknown {
  if (step === undefined) return by(value);
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? replaced(each, rest, by) : each));
  return { ...(value as object), [step]: replaced(Reflect.get(value as object, step), rest, by) };
}

/** A value of another form than the present one. */
function wrong(old: unknown): unknown {
  return typeof old === "string" || typeof old === "object" ? 5 : "нечто";
}

describe("errors of the sandbox about a body", () => {
  let sandbox: TestSandbox;
  let attribute: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    const made = await sandbox.call("POST", "entity/product/metadata/attributes", { name: "Полка", type: "string" });
    attribute = { meta: made.at("meta") };
  });
  afterAll(() => sandbox.close());

  const ref = (type: string) => shopReference(sandbox, type);
  const some = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
  const line = (more: object = {}) => ({ assortment: ref("product"), quantity: 2, price: 100, ...more });

  /** Right bodies of different depth. `count` decides how long their arrays are. */
  const BODIES: Record<string, (count: number) => object> = {
    product: (count) => ({
      name: "Полка",
      weight: 1.5,
      discountProhibited: true,
      uom: ref("uom"),
      salePrices: some(count, (index) => ({ value: index, currency: ref("currency"), priceType: ref("pricetype") })),
      barcodes: some(count, (index) => ({ code128: `код ${index}` })),
      buyPrice: { value: 5, currency: ref("currency") },
      attributes: [{ ...attribute, value: "верхняя" }],
      alcoholic: { type: 100, strength: 4.5, excise: false },
    }),
    customerorder: (count) => ({
      organization: ref("organization"),
      agent: ref("counterparty"),
      rate: { currency: ref("currency") },
      shipmentAddressFull: { city: "Тверь", country: ref("country") },
      positions: some(count, () => line({ vatEnabled: true, vat: 20, discount: 5 })),
    }),
    counterparty: (count) => ({
      name: "Ромашка",
      tags: some(count, (index) => `метка ${index}`),
      accounts: some(count, (index) => ({ accountNumber: `4070281000000000000${index}`, isDefault: index === 0 })),
    }),
    bundle: (count) => ({ name: "Набор", components: some(Math.min(count, 1), () => ({ assortment: ref("product"), quantity: 1 })) }),
  };

  const spaces = fc.array(fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t"), { minLength: 1, maxLength: 30 });
  const faulty = fc.record({
    type: fc.constantFrom(...Object.keys(BODIES)),
    count: fc.integer({ min: 1, max: 4 }),
    pick: fc.nat(),
    spaces,
  });
  const firstError = (answer: SandboxAnswer, ...steps: Step[]) => [answer.at(...steps, "line"), answer.at(...steps, "column")];

  it("point at the one value that is wrong, at whatever depth it lies", async () => {
    await fc.assert(
      fc.asyncProperty(faulty, async ({ type, count, pick, spaces: between }) => {
        const body = BODIES[type]?.(count) ?? {};
        const ways = waysIn(body);
        const way = ways[pick % ways.length] ?? [];
        const { text, ...place } = marked(replaced(body, way, wrong), way, between);
        const answer = await sandbox.call("POST", `entity/${type}`, text);
        expect(firstError(answer, "errors", 0), `${way.join(".")} in ${text}: ${answer.text}`).toEqual([place.line, place.column]);
      }),
      { numRuns: 150 },
    );
  });

  it("point at it in the element of a mass write that holds it", async () => {
    const many = fc.record({ fault: faulty, before: fc.nat({ max: 2 }), after: fc.nat({ max: 2 }) });
    await fc.assert(
      fc.asyncProperty(many, async ({ fault: { type, count, pick, spaces: between }, before, after }) => {
        const good = () => BODIES[type]?.(count) ?? {};
        const ways = waysIn(good());
        const way = [before, ...(ways[pick % ways.length] ?? [])];
        const body = replaced([...some(before, good), good(), ...some(after, good)], way, wrong);
        const { text, ...place } = marked(body, way, between);
        const answer = await sandbox.call("POST", `entity/${type}`, text);
        expect(firstError(answer, before, "errors", 0), `${way.join(".")} in ${text}: ${answer.text}`).toEqual([place.line, place.column]);
        expect(
          [...some(before, (index) => index), ...some(after, (index) => before + 1 + index)].map((at) => answer.at(at, "errors")),
        ).toEqual(some(before + after, () => undefined));
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, string, (good: object) => unknown, Step[]]>([
    ["null among the lines of an order", "customerorder", (good) => replaced(good, ["positions", 1], () => null), ["positions", 1]],
    ["an array among sale prices", "product", (good) => replaced(good, ["salePrices", 2], () => []), ["salePrices", 2]],
    [
      "a price that is missing, at its object",
      "product",
      (good) => replaced(good, ["salePrices", 1], () => ({ currency: ref("currency") })),
      ["salePrices", 1],
    ],
    ["a sale price below zero", "product", (good) => replaced(good, ["salePrices", 0, "value"], () => -1), ["salePrices", 0, "value"]],
    [
      "a line's quantity of zero",
      "customerorder",
      (good) => replaced(good, ["positions", 2, "quantity"], () => 0),
      ["positions", 2, "quantity"],
    ],
    [
      "a reserve above what is ordered",
      "customerorder",
      (good) => replaced(good, ["positions", 0, "reserve"], () => 9),
      ["positions", 0, "reserve"],
    ],
    [
      "a component that cannot be one",
      "bundle",
      (good) => replaced(good, ["components", 0, "assortment"], () => ref("bundle")),
      ["components", 0, "assortment"],
    ],
    [
      "a barcode with a wrong check digit",
      "product",
      (good) => replaced(good, ["barcodes", 1], () => ({ gtin: "4600000000000" })),
      ["barcodes", 1],
    ],
    ["a required field that is missing, at the body", "product", ({ name: _name, ...good }: { name?: string }) => good, []],
  ])("point at %s", async (_what, type, spoil, way) => {
    const { text, ...place } = marked(spoil(BODIES[type]?.(3) ?? {}), way, ["", "\n ", " "]);
    const answer = await sandbox.call("POST", `entity/${type}`, text);
    expect(firstError(answer, "errors", 0), answer.text).toEqual([place.line, place.column]);
  });

  it("point into the rows of a collection that comes back as it was answered", async () => {
    const order = await sandbox.call("POST", "entity/customerorder?expand=positions", BODIES.customerorder?.(3));
    const way = ["positions", "rows", 1, "quantity"];
    const { text, ...place } = marked(
      replaced(order.body, way, () => 0),
      way,
      ["", "\n "],
    );
    const answer = await sandbox.call("PUT", String(order.at("meta", "href")), text);
    expect(firstError(answer, "errors", 0), answer.text).toEqual([place.line, place.column]);
  });

  it("point into what was sent to the lines of a document, whatever it held before", async () => {
    const order = await sandbox.call("POST", "entity/customerorder", BODIES.customerorder?.(3));
    const positions = `${String(order.at("meta", "href"))}/positions`;
    const added = marked([line(), line({ quantity: 0 })], [1, "quantity"], ["\n"]);
    expect(firstError(await sandbox.call("POST", positions, added.text), "errors", 0)).toEqual([added.line, added.column]);
    const badForm = marked([line(), line({ price: "даром" })], [1, "price"], ["\n"]);
    expect(firstError(await sandbox.call("POST", positions, badForm.text), "errors", 0)).toEqual([badForm.line, badForm.column]);
    const single = marked(line({ discount: 101 }), ["discount"], ["\n"]);
    expect(firstError(await sandbox.call("POST", positions, single.text), "errors", 0)).toEqual([single.line, single.column]);
    const second = String((await sandbox.call("GET", positions)).at("rows", 1, "meta", "href"));
    const changed = marked({ price: 5, quantity: -1 }, ["quantity"], ["\n"]);
    expect(firstError(await sandbox.call("PUT", second, changed.text), "errors", 0)).toEqual([changed.line, changed.column]);
    const foreign = marked([{ id: second.split("/").at(-1) }, { id: "00000000-0000-4000-8000-000000000000" }], [1], ["\n"]);
    expect(firstError(await sandbox.call("POST", `${positions}/delete`, foreign.text), "errors", 0)).toEqual([
      foreign.line,
      foreign.column,
    ]);
  });
});
