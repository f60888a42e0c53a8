import type { PlatformApi } from "./api/api.ts";
import type { AttributeInput, Meta, Ref, RefInput } from "./entities/meta.ts";
import { type MassResult, mass } from "./mass.ts";
import { objectIn, pageIn } from "./page.ts";
import { readAll } from "./query/paging.ts";
import { type Bounds, MAX_LIMIT } from "./query/query.ts";
import { hrefOf, idOf, type Target } from "./reference.ts";

/** Types of additional fields (json-api 8.3). The platform may have more. */
type AttributeType =
  | "string"
  | "text"
  | "link"
  | "long"
  | "double"
  | "boolean"
  | "time"
  | "file"
  | "product"
  | "counterparty"
  | "employee"
  | "store"
  | "project"
  | "contract"
  | "productfolder"
  | "customentity"
  | (string & {});

export interface Definition {
  readonly meta: Meta<"attributemetadata">;
  readonly id: string;
  readonly name: string;
  readonly type: AttributeType;
  readonly required: boolean;
  /** For fields of documents only. */
  readonly show?: boolean | null;
  readonly description?: string | null;
  readonly customEntityMeta?: Ref["meta"] | null;
}

/** A new additional field. The type of the field can never be changed. Two fields of one type of objects never have the same name. */
interface DefinitionInput {
  readonly name: string;
  readonly type: AttributeType;
  readonly required?: boolean;
  readonly show?: boolean;
  readonly description?: string | null;
  readonly customEntityMeta?: Ref["meta"];
}

type DefinitionChange = Partial<Omit<DefinitionInput, "type">>;

/**
 * Additional fields of a type of objects (json-api 8.3), for the administrator. Products, services and bundles share the fields of
 * `product`. Variants, points of sale, units, webhooks and cashiers have no additional fields.
 */
export class Definitions {
  readonly #api: PlatformApi;
  readonly #path: string;

  constructor(api: PlatformApi, type: string) {
    this.#api = api;
    this.#path = `entity/${type}/metadata/attributes`;
  }

  all(bounds: Bounds = {}): AsyncIterable<Definition> {
    return readAll<Definition>({
      limit: MAX_LIMIT,
      keyOf: ({ id }) => id,
      read: async (offset, limit) => {
        const query = { limit: String(limit), offset: String(offset) };
        const { rows, meta } = pageIn<Definition>(
          (await this.#api.call({ method: "GET", path: this.#path, query, ...bounds })).body,
          this.#path,
        );
        return { rows, size: meta.size };
      },
    });
  }

  async get(field: Target, bounds: Bounds = {}): Promise<Definition> {
    const path = `${this.#path}/${idOf(field)}`;
    return objectIn((await this.#api.call({ method: "GET", path, ...bounds })).body, path);
  }

  async create(field: DefinitionInput, bounds: Bounds = {}): Promise<Definition> {
    return objectIn((await this.#api.call({ method: "POST", path: this.#path, body: field, ...bounds })).body, this.#path);
  }

  /** Creates fields. A field with an id is changed instead. */
  createMany(
    fields: readonly (DefinitionInput | (DefinitionChange & { readonly id: string }))[],
    bounds: Bounds = {},
  ): Promise<MassResult<Definition>[]> {
    return mass(this.#api, { path: this.#path, elements: fields, repeatable: false, ...bounds });
  }

  async update(field: Target, changes: DefinitionChange, bounds: Bounds = {}): Promise<Definition> {
    const path = `${this.#path}/${idOf(field)}`;
    return objectIn((await this.#api.call({ method: "PUT", path, body: changes, ...bounds })).body, path);
  }

  /** Deletes the field with its values, even if it is required. */
  async delete(field: Target, bounds: Bounds = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: `${this.#path}/${idOf(field)}`, ...bounds });
  }

  /** Deletes all fields or none: a missing field fails the whole request. */
  async deleteMany(fields: readonly { readonly meta: Meta<"attributemetadata"> }[], bounds: Bounds = {}): Promise<void> {
    const body = fields.map(({ meta }) => ({ meta: { href: hrefOf(meta), type: meta.type, mediaType: meta.mediaType } }));
    await this.#api.call({ method: "POST", path: `${this.#path}/delete`, body, ...bounds });
  }
}

/** A value for an object's `attributes`. Null clears the field. Fields that are not named keep their value (json-api 7.2). */
export function attributeValue(
  field: { readonly meta: Meta<"attributemetadata">; readonly type?: string },
  value: string | number | boolean | RefInput | null,
): AttributeInput {
  return { meta: field.meta, ...(field.type === "file" && value === null ? { file: null } : { value }) };
}

/** A file for an additional field of the type `file`; at most 10 MB. */
export function attributeFile(field: { readonly meta: Meta<"attributemetadata"> }, filename: string, content: Uint8Array): AttributeInput {
  return { meta: field.meta, file: { filename, content: Buffer.from(content).toString("base64") } };
}
