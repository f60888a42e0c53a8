import type { PlatformApi } from "./api/api.ts";
import { type Definition, Definitions } from "./definitions.ts";
import type { Meta } from "./entities/meta.ts";
import { type MassResult, mass } from "./mass.ts";
import { objectIn } from "./page.ts";
import type { Bounds } from "./query/query.ts";
import { idOf, type Target } from "./reference.ts";

/** A state of documents or buyers (json-api 8.2). Any state may follow any other state. */
interface State {
  readonly meta: Meta<"state">;
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** ARGB: four bytes as one number. */
  readonly color: number;
  readonly stateType: "Regular" | "Successful" | "Unsuccessful" | (string & {});
  readonly entityType: string;
}

type StateInput = Pick<State, "name" | "color" | "stateType">;

/** The platform's description of a type (json-api 8.1). */
interface Metadata {
  readonly attributes: readonly Definition[];
  readonly states: readonly State[];
  readonly groups: readonly string[];
  readonly createShared: boolean;
}

export class TypeMetadata {
  readonly #api: PlatformApi;
  readonly #path: string;
  readonly attributes: Definitions;

  constructor(api: PlatformApi, type: string) {
    this.#api = api;
    this.#path = `entity/${type}/metadata`;
    this.attributes = new Definitions(api, type);
  }

  async get(bounds: Bounds = {}): Promise<Metadata> {
    const query = { expand: "attributes" };
    const said = objectIn<Said>((await this.#api.call({ method: "GET", path: this.#path, query, ...bounds })).body, this.#path);
    const { attributes = [], states = [], groups = [], createShared = false } = said;
    // Older versions of the API send the fields themselves; the current version sends a collection (json-api 8.1).
    return { attributes: isPlain(attributes) ? attributes : (attributes.rows ?? []), states, groups, createShared };
  }

  async createState(state: StateInput, bounds: Bounds = {}): Promise<State> {
    const path = `${this.#path}/states`;
    return objectIn((await this.#api.call({ method: "POST", path, body: state, ...bounds })).body, path);
  }

  createStates(states: readonly StateInput[], bounds: Bounds = {}): Promise<MassResult<State>[]> {
    return mass(this.#api, { path: `${this.#path}/states`, elements: states, repeatable: false, ...bounds });
  }

  async updateState(state: Target, changes: Partial<StateInput>, bounds: Bounds = {}): Promise<State> {
    const path = `${this.#path}/states/${idOf(state)}`;
    return objectIn((await this.#api.call({ method: "PUT", path, body: changes, ...bounds })).body, path);
  }

  async deleteState(state: Target, bounds: Bounds = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: `${this.#path}/states/${idOf(state)}`, ...bounds });
  }
}

function isPlain(attributes: NonNullable<Said["attributes"]>): attributes is readonly Definition[] {
  return Array.isArray(attributes);
}

interface Said {
  readonly attributes?: readonly Definition[] | { readonly rows?: readonly Definition[] };
  readonly states?: readonly State[];
  readonly groups?: readonly string[];
  readonly createShared?: boolean;
}
