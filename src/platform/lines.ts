import type { PlatformApi } from "./api/api.ts";
import type { CreateOf, Fields, UpdateOf } from "./entities/field.ts";
import type { Read } from "./entities/read.ts";
import { arrayIn, objectIn, type Page, pageIn } from "./page.ts";
import { readAll } from "./query/paging.ts";
import { type Bounds, expandText, MAX_LIMIT, type Writing } from "./query/query.ts";
import { hrefOf, idOf, type Target } from "./reference.ts";

interface LinesQuery<P extends string> extends Bounds {
  readonly limit?: number;
  readonly offset?: number;
  readonly expand?: readonly P[];
}

/** A nested collection with its own address (json-api 7.3): lines of a document, components, bank accounts, cashiers. */
export class Lines<F extends Fields> {
  readonly #api: PlatformApi;
  readonly #path: string;

  constructor(api: PlatformApi, path: string) {
    this.#api = api;
    this.#path = path;
  }

  /**
   * Returns one page. With `expand` at most 100 rows may be asked for: the platform ignores `expand` on a larger page (json-api 6.5).
   * @throws PlatformFailure
   */
  async list<const P extends string & keyof F = never>(query: LinesQuery<P> = {}): Promise<Page<Read<F, P>>> {
    const { limit = query.expand === undefined ? MAX_LIMIT : 100, offset = 0, expand, ...bounds } = query;
    const { body } = await this.#api.call({
      method: "GET",
      path: this.#path,
      query: { limit: String(limit), offset: String(offset), expand: expandText(expand) },
      ...bounds,
    });
    return pageIn(body, this.#path);
  }

  /** Reads all elements. A collection expanded in its object has only the first hundred. */
  all(bounds: Bounds = {}): AsyncIterable<Read<F>> {
    return readAll<Read<F>>({
      limit: MAX_LIMIT,
      keyOf: ({ id }) => id,
      read: async (offset, limit) => {
        const { rows, meta } = await this.list({ offset, limit, ...bounds });
        return { rows, size: meta.size };
      },
    });
  }

  /** @throws PlatformFailure */
  async get(line: Target, bounds: Bounds = {}): Promise<Read<F>> {
    const path = this.#pathOf(line);
    return objectIn((await this.#api.call({ method: "GET", path, ...bounds })).body, path);
  }

  /** Adds lines. A request whose answer is lost is not repeated. @throws PlatformFailure */
  async add(lines: readonly CreateOf<F>[], writing: Writing = {}): Promise<readonly Read<F>[]> {
    return arrayIn((await this.#api.call({ method: "POST", path: this.#path, body: lines, ...writing })).body, this.#path);
  }

  /** Changes the given fields of a line. @throws PlatformFailure */
  async update(line: Target, changes: UpdateOf<F>, writing: Writing = {}): Promise<Read<F>> {
    const path = this.#pathOf(line);
    return objectIn((await this.#api.call({ method: "PUT", path, body: changes, ...writing })).body, path);
  }

  /** @throws PlatformFailure */
  async delete(line: Target, writing: Writing = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: this.#pathOf(line), ...writing });
  }

  /** Deletes all lines or none: a line of another document fails the whole request (error 1046). */
  async deleteMany(lines: readonly { readonly meta: { readonly href: string } }[], writing: Writing = {}): Promise<void> {
    const body = lines.map(({ meta }) => ({ meta: { ...meta, href: hrefOf(meta) } }));
    await this.#api.call({ method: "POST", path: `${this.#path}/delete`, body, ...writing });
  }

  #pathOf(line: Target): string {
    return `${this.#path}/${idOf(line)}`;
  }
}
