import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PageOf, readAll } from "../../../../src/platform/query/paging.ts";

interface Row {
  id: number;
}

/** A list that is sorted by id and may change after each page. */
function moving(ids: readonly number[], change: (rows: Row[], page: number) => Row[] = (rows) => rows) {
  let rows = ids.map((id) => ({ id }));
  const pages: { offset: number; limit: number }[] = [];
  return {
    pages,
    async read(offset: number, limit: number): Promise<PageOf<Row>> {
      pages.push({ offset, limit });
      const page = { rows: rows.slice(offset, offset + limit), size: rows.length };
      rows = [...change(rows, pages.length)].sort((a, b) => a.id - b.id);
      return page;
    },
  };
}

async function idsOf(list: { read(offset: number, limit: number): Promise<PageOf<Row>> }, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of readAll({ limit, keyOf: (row: Row) => String(row.id), read: list.read })) ids.push(id);
  return ids;
}

const upTo = (count: number) => Array.from({ length: count }, (_, id) => id * 10);

describe("reading a list page by page", () => {
  it.each([0, 1, 19, 20, 21, 100])("gives each of %i rows once, in their order", async (count) => {
    expect(await idsOf(moving(upTo(count)), 20)).toEqual(upTo(count));
  });

  it("gives a row once that the platform returns twice in one page", async () => {
    const read = async () => ({ rows: [{ id: 0 }, { id: 10 }, { id: 10 }], size: 3 });
    expect(await idsOf({ read }, 20)).toEqual([0, 10]);
  });

  it("reads no page twice while nothing moves", async () => {
    const list = moving(upTo(100));
    await idsOf(list, 40);
    expect(list.pages).toEqual([
      { offset: 0, limit: 40 },
      { offset: 30, limit: 40 },
      { offset: 60, limit: 40 },
    ]);
  });

  it("passes nothing over when rows before its place go", async () => {
    const list = moving(upTo(100), (rows, page) => (page === 2 ? rows.slice(25) : rows));
    expect(await idsOf(list, 20)).toEqual(upTo(100));
  });

  it("gives nothing twice when rows come before its place", async () => {
    const list = moving(upTo(60), (rows, page) => (page === 1 ? [...rows, { id: 1 }, { id: 2 }, { id: 3 }] : rows));
    const ids = await idsOf(list, 20);
    expect(ids.filter((id) => id % 10 === 0)).toEqual(upTo(60));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ends when the list is emptied under it", async () => {
    expect(
      await idsOf(
        moving(upTo(60), () => []),
        20,
      ),
    ).toEqual(upTo(20));
  });

  it("reads no further when whoever asked has enough", async () => {
    const list = moving(upTo(60));
    for await (const { id } of readAll({ limit: 20, keyOf: (row: Row) => String(row.id), read: list.read })) if (id === 30) break;
    expect(list.pages).toHaveLength(1);
  });

  it("passes over what is no row, and what has no key", async () => {
    const rows = [{ id: "a" }, null, {}, "text", { id: 7 }, { id: "b" }] as readonly { id: string }[];
    const given: unknown[] = [];
    const list = { limit: 20, keyOf: ({ id }: { id: string }) => id, read: async () => ({ rows, size: rows.length }) };
    for await (const row of readAll(list)) given.push(row);
    expect(given).toEqual([{ id: "a" }, { id: "b" }]);
  });

  it.each([1e9, Number.POSITIVE_INFINITY])("gives up a list of %d rows that repeats one page", async (size) => {
    let pages = 0;
    const given: number[] = [];
    const reading = async () => {
      const read = async () => {
        pages += 1;
        return { rows: upTo(20).map((id) => ({ id })), size };
      };
      for await (const { id } of readAll({ limit: 20, keyOf: (row: Row) => String(row.id), read })) given.push(id);
    };
    await expect(reading()).rejects.toMatchObject({
      code: "platform-unavailable",
      message: "a list does not end: given up after 5 pages that brought nothing new",
    });
    expect({ pages, given }).toEqual({ pages: 6, given: upTo(20) });
  });

  it("gives up a list whose pages hold nothing but what is no row", async () => {
    const read = async (): Promise<{ rows: Row[]; size: number }> => ({ rows: JSON.parse("[null, null]"), size: 1e9 });
    const reading = readAll({ limit: 2, keyOf: (row: Row) => String(row.id), read }).next();
    await expect(reading).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  it.each([
    ["goes on whenever its end is near", (offset: number, limit: number) => offset + 10 * limit, (at: number) => at],
    ["has other rows each time", () => 400, (at: number, page: number) => at + page * 1_000],
  ])("gives up a list that %s", async (_, sizeAt, idOf) => {
    let pages = 0;
    const reading = async () => {
      const read = async (offset: number, limit: number) => {
        pages += 1;
        return { rows: Array.from({ length: limit }, (_row, at) => ({ id: idOf(offset + at, pages) })), size: sizeAt(offset, limit) };
      };
      for await (const _row of readAll({ limit: 20, keyOf: (row: Row) => String(row.id), read }));
    };
    await expect(reading()).rejects.toMatchObject({
      code: "platform-unavailable",
      message: expect.stringMatching(/after 1\d{3} requests/),
    });
    expect(pages).toBeLessThan(1_500);
  });

  it("gives every row that stays exactly once, whatever comes and goes", async () => {
    const changes = fc.array(
      fc.record({ remove: fc.array(fc.nat(79), { maxLength: 25 }), add: fc.array(fc.integer({ min: 0, max: 799 }), { maxLength: 25 }) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 20, max: 40 }), async (given, limit) => {
        const gone = new Set(given.flatMap(({ remove }) => remove.map((each) => each * 10)));
        const list = moving(upTo(80), (rows, page) => {
          const { remove = [], add = [] } = given[page - 1] ?? {};
          const doomed = new Set(remove.map((each) => each * 10));
          const fresh = add.filter((id) => id % 10 !== 0 && !rows.some((row) => row.id === id)).map((id) => ({ id }));
          return [...rows.filter(({ id }) => !doomed.has(id)), ...new Map(fresh.map((row) => [row.id, row])).values()];
        });
        const ids = await idsOf(list, limit);
        const stayed = upTo(80).filter((id) => !gone.has(id));
        expect(stayed.filter((id) => !ids.includes(id))).toEqual([]);
        const twice = stayed.filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
        expect(twice).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
