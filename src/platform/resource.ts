import type { PlatformApi } from "./api/api.ts";
import { PlatformFailure } from "./api/failure.ts";
import type { EntityType } from "./entities/entity-type.ts";
import type { CreateOf, UpdateOf } from "./entities/field.ts";
import type { Read } from "./entities/read.ts";
import { Images } from "./images.ts";
import { Lines } from "./lines.ts";
import { type MassResult, mass } from "./mass.ts";
import { objectIn, type Page, pageIn } from "./page.ts";
import { readAll } from "./query/paging.ts";
import {
  type Bounds,
  boundsOf,
  type Expandable,
  expandText,
  keysOf,
  type ListQuery,
  listParameters,
  orderText,
  type Writing,
} from "./query/query.ts";
import { hrefOf, idOf, isUuid, type Target } from "./reference.ts";

type Whole<T extends EntityType, P extends string = never> = Read<T["fields"], P>;
type Options<T extends EntityType, P extends string> = Expandable<T, P> & Bounds;

/** Changes an object in a mass write; its meta names the object. */
type Change<T extends EntityType> = UpdateOf<T["fields"]> & { readonly meta: { readonly href: string } };

/**
 * Objects of one type (json-api 6, 7). Objects keep the fields that this library does not know. In answers a missing field and null mean
 * the same. In bodies null clears a field that may be cleared. A creation with a `syncId` is repeated after a lost answer and returns the
 * same object (json-api 7.6). After a lost answer no other write is repeated.
 */
export class Resource<T extends EntityType> {
  readonly #api: PlatformApi;
  readonly #type: T;
  readonly #path: string;

  constructor(api: PlatformApi, type: T) {
    this.#api = api;
    this.#type = type;
    this.#path = `entity/${type.name}`;
  }

  async get<const P extends string = never>(target: Target, options: Options<T, P> = {}): Promise<Whole<T, P>> {
    const { expand, ...bounds } = options;
    const path = this.#pathOf(target);
    return objectIn((await this.#api.call({ method: "GET", path, query: { expand: expandText(expand) }, ...bounds })).body, path);
  }

  /** Undefined when the object does not exist (404). */
  async find<const P extends string = never>(target: Target, options: Options<T, P> = {}): Promise<Whole<T, P> | undefined> {
    try {
      return await this.get(target, options);
    } catch (error) {
      if (error instanceof PlatformFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * One page. With `expand` the page has at most 100 rows, and each expanded collection in it has at most 100 rows too. `lines` reads the
   * further rows of a collection.
   */
  async list<const P extends string = never>(
    query: ListQuery<T> & Options<T, P> & { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<Page<Whole<T, P>>> {
    const { limit, offset = 0, ...said } = query;
    const parameters = { ...listParameters(said, limit), offset: offset === 0 ? undefined : String(offset) };
    const { body } = await this.#api.call({ method: "GET", path: this.#path, query: parameters, ...boundsOf(query) });
    return pageIn(body, this.#path);
  }

  async count(query: ListQuery<T> & Bounds = {}): Promise<number> {
    return (await this.list({ ...query, limit: 0 })).meta.size;
  }

  /**
   * All matching objects, page by page, by default sorted by id if the type can be sorted by id. `readAll` states what is guaranteed when
   * rows are added or deleted meanwhile.
   */
  all<const P extends string = never>(
    query: ListQuery<T> & Options<T, P> & { readonly pageSize?: number } = {},
  ): AsyncIterable<Whole<T, P>> {
    const { pageSize, order, ...said } = query;
    const parameters = { ...listParameters(said, pageSize), order: orderText(this.#stable(order)) };
    return readAll<Whole<T, P>>({
      limit: Math.max(2, Number(parameters.limit)),
      keyOf: ({ id }) => id,
      read: async (offset, limit) => {
        const asked = { ...parameters, limit: String(limit), offset: String(offset) };
        const { body } = await this.#api.call({ method: "GET", path: this.#path, query: asked, ...boundsOf(query) });
        const { rows, meta } = pageIn<Whole<T, P>>(body, this.#path);
        return { rows, size: meta.size };
      },
    });
  }

  async create<const P extends string = never>(object: CreateOf<T["fields"]>, options: Options<T, P> & Writing = {}): Promise<Whole<T, P>> {
    const { expand, ...bounds } = options;
    const call = { method: "POST", path: this.#path, body: object, repeatable: hasSyncId(object) } as const;
    return objectIn((await this.#api.call({ ...call, query: { expand: expandText(expand) }, ...bounds })).body, this.#path);
  }

  async update<const P extends string = never>(
    target: Target,
    changes: UpdateOf<T["fields"]>,
    options: Options<T, P> & Writing = {},
  ): Promise<Whole<T, P>> {
    const { expand, ...bounds } = options;
    const path = this.#pathOf(target);
    const call = { method: "PUT", path, body: changes, query: { expand: expandText(expand) } } as const;
    return objectIn((await this.#api.call({ ...call, ...bounds })).body, path);
  }

  /** Fails with 404 when the object does not exist, and with 409 and `dependencies` when it is in use. */
  async delete(target: Target, writing: Writing = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: this.#pathOf(target), ...writing });
  }

  /** Creates at most 1000 objects. An object with a meta is changed instead. The results have the order of the elements. */
  createMany(objects: readonly (CreateOf<T["fields"]> | Change<T>)[], writing: Writing = {}): Promise<MassResult<Whole<T>>[]> {
    const repeatable = objects.every((each) => hasSyncId(each) && !("meta" in each));
    return mass(this.#api, { path: this.#path, elements: objects, repeatable, ...writing });
  }

  /** Deletes at most 1000 objects. A missing object does not stop the deletion of the other objects. */
  deleteMany(targets: readonly Target[], writing: Writing = {}): Promise<MassResult<{ readonly info: string }>[]> {
    const elements = targets.map((target) => ({
      meta: { href: this.#hrefOf(target), type: this.#type.name, mediaType: "application/json" },
    }));
    return mass(this.#api, { path: `${this.#path}/delete`, elements, repeatable: false, ...writing });
  }

  /** Reads an object by the `syncId` that its creator chose. Undocumented, but the platform's own library does so (json-api 7.6). */
  async getBySyncId(syncId: string, bounds: Bounds = {}): Promise<Whole<T>> {
    const path = `${this.#path}/syncid/${uuid(syncId)}`;
    return objectIn((await this.#api.call({ method: "GET", path, ...bounds })).body, path);
  }

  async deleteBySyncId(syncId: string, bounds: Writing = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: `${this.#path}/syncid/${uuid(syncId)}`, ...bounds });
  }

  /** A new, unsaved object with default values (json-api 7.1). */
  async template(basis: object = {}, bounds: Bounds = {}): Promise<Partial<Whole<T>>> {
    const path = `${this.#path}/new`;
    const { body } = await this.#api.call({ method: "PUT", path, body: basis, repeatable: true, ...bounds });
    return body as Partial<Whole<T>>;
  }

  /** Moves a document into the recycle bin. This API cannot restore it. */
  async trash(target: Target, writing: Writing = {}): Promise<void> {
    await this.#api.call({ method: "POST", path: `${this.#pathOf(target)}/trash`, ...writing });
  }

  /** A nested collection with its own address (json-api 7.3). */
  lines<const Name extends string & keyof T["lists"]>(target: Target, name: Name): Lines<T["lists"][Name]> {
    return new Lines<T["lists"][Name]>(this.#api, `${this.#pathOf(target)}/${name}`);
  }

  /** Pictures of goods (json-api 15). */
  images(target: Target): Images {
    return new Images(this.#api, `${this.#pathOf(target)}/images`);
  }

  /** Returns the caller's order, followed by the id if the type can be sorted by id. So rows with equal keys keep their order. */
  #stable(order: ListQuery<T>["order"]) {
    const keys = keysOf(order);
    const has = keys.some(([key]) => key === "id") || !this.#type.order.includes("id");
    return has ? keys : [...keys, ["id", "asc"] as const];
  }

  #pathOf(target: Target): string {
    return `${this.#path}/${this.#idOf(target)}`;
  }

  #hrefOf(target: Target): string {
    return `${this.#api.url}/${this.#pathOf(target)}`;
  }

  #idOf(target: Target): string {
    return typeof target === "string" && isUuid(target) ? target : idOf(hrefOf(target));
  }
}

function hasSyncId(object: object): boolean {
  return typeof Reflect.get(object, "syncId") === "string";
}

function uuid(text: string): string {
  if (!isUuid(text)) throw new PlatformFailure("unsayable", `${text} is no syncId`);
  return text;
}
