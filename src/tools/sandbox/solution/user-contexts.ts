import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Account } from "../account/account.ts";
import { type Judged, refuse } from "../caller/vendor-desk.ts";
import type { Stored, Values } from "../values/stored.ts";

/** Lifetimes of context keys and one-time tokens (platform-contracts 3.9). */
const CONTEXT_MS = 5 * 60_000;
const TOKEN_MS = 60_000;
/** The maximum number of keys, and of tokens, in memory. The oldest are dropped. */
const MAX_KEYS = 1_000;
const UNKNOWN_TOKEN = "the token is unknown, used or expired";

/** The window of a key or a token. `another`: a solution learns nothing about another solution's window (platform-contracts 3.9). */
interface Held {
  readonly login: string;
  readonly owner: "ours" | "another";
  readonly untilMs: number;
}

/** Makes the keys of a solution's windows, and resolves them to users. */
export class UserContexts {
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #keys = new Map<string, Held>();
  readonly #tokens = new Map<string, Held>();

  constructor(account: Account, clock: Clock, chance: Chance) {
    this.#account = account;
    this.#clock = clock;
    this.#chance = chance;
  }

  /** Opens a window of this or another solution. Undefined: unknown login. */
  open(
    login: string,
    owner: Held["owner"] = "ours",
    state: "fresh" | "expired" = "fresh",
  ): { contextKey: string; token: string } | undefined {
    if (this.#account.objects.get("login", login) === undefined) return undefined;
    const [contextKey, token] = [this.#chance.bytes(20).toString("hex"), this.#chance.bytes(20).toString("hex")];
    const nowMs = this.#clock.nowMs();
    const untilMs = (lifeMs: number) => (state === "expired" ? nowMs - 1 : nowMs + lifeMs);
    remember(this.#keys, contextKey, { login, owner, untilMs: untilMs(CONTEXT_MS) });
    remember(this.#tokens, token, { login, owner, untilMs: untilMs(TOKEN_MS) });
    return { contextKey, token };
  }

  /**
   * Answers `POST /context/{contextKey}` with the employee and permissions. An unknown or expired key gets 404, another solution's key 403.
   */
  byKey(contextKey: string): Judged {
    const held = this.#keys.get(contextKey);
    const employee = held === undefined || held.untilMs < this.#clock.nowMs() ? undefined : this.#employeeOf(held.login);
    if (employee === undefined || held === undefined) return refuse(404, 1005, "the context key is unknown or has expired");
    if (held.owner === "another") return refuse(403, 1085, "the context key belongs to another solution");
    const { name, lastName, firstName, middleName, fullName, shortFio, email, uid } = employee.values;
    const permissions = this.#isAdministrator(held.login) ? { admin: { view: "ALL" } } : {};
    const answer = {
      id: employee.id,
      accountId: this.#account.id,
      name,
      lastName,
      firstName,
      middleName,
      fullName,
      shortFio,
      email,
      uid,
      permissions,
    };
    return { status: 200, answer };
  }

  /** Marks a token as used, like a call of the solution's server. */
  useUp(token: string): void {
    this.#tokens.delete(token);
  }

  /** Answers `POST /context/user`. A token works once. Another solution's token gets the answer for an unknown token, and stays usable. */
  byToken(body: Buffer): Judged {
    const token = tokenIn(body);
    if (token === undefined) return refuse(400, 3008, "token is missing");
    const held = this.#tokens.get(token);
    if (held?.owner === "another") return refuse(404, 3007, UNKNOWN_TOKEN);
    this.#tokens.delete(token);
    const employee = held === undefined || held.untilMs < this.#clock.nowMs() ? undefined : this.#employeeOf(held.login);
    if (employee === undefined || held === undefined) return refuse(404, 3007, UNKNOWN_TOKEN);
    const role = this.#isAdministrator(held.login) ? "admin" : this.#login(held.login).role === "worker" ? "worker" : "cashier";
    return { status: 200, answer: { accountId: this.#account.id, userId: employee.id, userUid: held.login, role } };
  }

  #employeeOf(login: string): Stored | undefined {
    return this.#account.objects.pointedBy(this.#login(login).employee);
  }

  #isAdministrator(login: string): boolean {
    return this.#login(login).administrator === true;
  }

  #login(login: string): Values {
    return this.#account.objects.get("login", login)?.values ?? {};
  }
}

function remember<T>(held: Map<string, T>, key: string, value: T): void {
  const [oldest] = held.keys();
  if (held.size >= MAX_KEYS && oldest !== undefined) held.delete(oldest);
  held.set(key, value);
}

function tokenIn(body: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const token = typeof value === "object" && value !== null ? Reflect.get(value, "token") : undefined;
    return typeof token === "string" && token !== "" ? token : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
