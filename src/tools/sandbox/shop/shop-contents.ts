import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import { defaultSettings } from "../settings.ts";
import { CATALOGUE } from "../types/catalogue.ts";
import type { EntityType, Writing } from "../types/entity-type.ts";
import { externalCodeOf } from "../values/external-code.ts";
import { idMaker } from "../values/ids.ts";
import type { Reference, Value, Values } from "../values/stored.ts";

/** The shop's beginning: 1 September 2025, 9:00 in Moscow. It is fixed, so the same seed gives the same data. */
export const SHOP_BEGAN_MS = Date.UTC(2025, 8, 1, 6);

/** Ids by code that are the same in every account (json-api D49). */
const FIXED_IDS: Readonly<Record<string, ((code: string) => string) | undefined>> = {
  region: (code) => `00000000-0000-0000-0000-0000000000${code}`,
  uom: (code) => idMaker("every account").named(`uom/${code}`),
};

/** Directories from a classifier, the same in every account. An object's code is also its external code and its key here. */
const CLASSIFIERS = new Set(["country", "region", "uom"]);

export type Pointer = { readonly type: string; readonly id: string };

/** Adds the shop's own objects. Their types' rules apply, but their keys determine their ids. */
export class ShopContents {
  readonly #account: Account;
  readonly #main: { group: Pointer; owner: Pointer };

  constructor(account: Account, owner: string) {
    this.#account = account;
    this.#main = { group: this.at("group", "main"), owner: this.at("employee", owner) };
  }

  /** Returns the reference to the object with this key, even before the object exists. */
  at(type: string, key: string): Pointer {
    const id = this.#account.namedId(`${type}/${key}`);
    // An object that an earlier release stored under another id keeps its id.
    return { type, id: this.#account.objects.get(type, id) === undefined ? (FIXED_IDS[type]?.(key) ?? id) : id };
  }

  /** Adds an object of a catalogue type, with defaults. */
  place(type: EntityType, key: string, values: Values): Pointer {
    const { id } = this.at(type.name, key);
    const writing = this.#writing(values);
    const externalCode = CLASSIFIERS.has(type.name) ? key : externalCodeOf(id);
    const common: Values = { ...this.#main, shared: true, externalCode, created: SHOP_BEGAN_MS };
    const known = new Set(type.fields.map(({ name }) => name));
    const draft = { ...Object.fromEntries(Object.entries(common).filter(([name]) => known.has(name))), ...values };
    const completed = type.complete?.(draft, writing) ?? draft;
    const settled = type.settle?.(completed, undefined, writing) ?? completed;
    this.put({ type: type.name, id }, known.has("updated") ? { ...settled, updated: SHOP_BEGAN_MS } : settled);
    return { type: type.name, id };
  }

  /** Adds an object with exactly these values, without its type's rules. */
  put({ type, id }: Reference, values: Values): void {
    this.#account.put({ type, id, values });
  }

  element(key: string, values: Values): Value {
    return { id: this.#account.namedId(`element/${key}`), values };
  }

  #writing(values: Values): Writing {
    const call: Call = {
      version: "1.2",
      base: "",
      localBase: "",
      api: "",
      caller: { kind: "user", employee: this.#main.owner, login: "", administrator: true },
      query: new URLSearchParams(),
      language: "ru",
      milliseconds: false,
      precise: false,
      mutedWebhooks: "all",
      settings: defaultSettings("canonical"),
    };
    return { account: this.#account, catalogue: CATALOGUE, call, nowMs: SHOP_BEGAN_MS, given: new Set(Object.keys(values)) };
  }
}
