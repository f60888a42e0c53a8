import { type Actor, writeAudit } from "../accounts/audit.ts";
import type { InstallationKey } from "../accounts/installation.ts";
import { Allowances } from "../kernel/allowances.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import {
  countNames,
  deleteOldCodes,
  lockNames,
  replaceAgent,
  replaceCode,
  selectAgent,
  selectCode,
  selectCodeOf,
  takeCode,
} from "./agent-queries.ts";
import { hashOfCode, readAgentKey } from "./identity.ts";
import { Turns } from "./turns.ts";

/** The characters of a code, without I, L, O and U, which people confuse. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 20;
const GROUP_LENGTH = 5;
/** The largest number of agents of an account, with those that were revoked. No account has as many shops. */
export const MAX_AGENTS_OF_ACCOUNT = 5_000;
/** How long a code is kept after it has expired. After this time the making of the next code deletes it. */
const ENDED_CODE_MS = 24 * 3_600_000;

/**
 * Limits of wrong codes from one source and from all sources together. Each limit is the largest number of wrong codes in quick succession,
 * and also the number of further wrong codes that each minute allows (agents surface 4).
 */
const WRONG_FROM_ONE = 5;
const WRONG_FROM_ALL = 30;
const MINUTE_MS = 60_000;
const MAX_SOURCES = 10_000;
const ALL = "all";

interface WantedCode {
  name: string;
  key: InstallationKey;
  minutes: number;
  /** Whether the code may replace an existing agent of this name. The agent is replaced when the code is used. */
  replace: boolean;
  actor: Actor;
}

type Issued =
  | { kind: "issued"; code: string; expiresAtMs: number }
  /** The account already has an agent of this name. */
  | { kind: "taken" }
  | { kind: "foreign" }
  /** The account has `MAX_AGENTS_OF_ACCOUNT` agents and waiting codes. */
  | { kind: "full" };

interface EnrolmentRequest {
  code: string;
  publicKey: string;
  version: string;
  host: string;
}

type Enrolled =
  | { kind: "enrolled"; agent: string; name: string }
  /** The code is wrong, used or expired. The caller does not learn the reason. */
  | { kind: "refused" }
  /** The key is no Ed25519 key. The code stays valid. */
  | { kind: "bad-key" }
  | { kind: "too-many" };

interface EnrolmentServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Chance;
  /** Reports a wrong code to the other processes, which count it too. Never rejects. Absent: there is one process only. */
  tellWrong?(source: string): Promise<void>;
}

/** Enrolment codes. A code works only once, and only for some minutes. Only its hash is stored. */
export class Enrolment {
  readonly #services: EnrolmentServices;
  readonly #wrongFromOne: Allowances;
  readonly #wrongFromAll: Allowances;
  readonly #turns = new Turns();

  constructor(services: EnrolmentServices) {
    this.#services = services;
    const { clock } = services;
    this.#wrongFromOne = new Allowances(clock, { most: WRONG_FROM_ONE, refillMs: MINUTE_MS / WRONG_FROM_ONE, names: MAX_SOURCES });
    this.#wrongFromAll = new Allowances(clock, { most: WRONG_FROM_ALL, refillMs: MINUTE_MS / WRONG_FROM_ALL, names: 1 });
  }

  /** Makes a code, which replaces an earlier code for the same name. */
  issue({ name, key, minutes, replace, actor }: WantedCode): Promise<Issued> {
    const { store, clock, chance } = this.#services;
    const code = codeFrom(chance);
    const nowMs = clock.nowMs();
    const expiresAtMs = nowMs + minutes * MINUTE_MS;
    return store.commit(async (tx) => {
      await lockNames(tx);
      await deleteOldCodes(tx, nowMs - ENDED_CODE_MS);
      const [agent, waiting] = [await selectAgent(tx, name), await selectCodeOf(tx, name)];
      const isForeign = (row: { app_id: string; account_id: string }) => row.app_id !== key.appId || row.account_id !== key.accountId;
      if (agent !== undefined && isForeign(agent)) return { kind: "foreign" };
      if (waiting !== undefined && waiting.expires_at_ms > nowMs && isForeign(waiting)) return { kind: "foreign" };
      if (agent !== undefined && !replace) return { kind: "taken" };
      const isNew = agent === undefined && waiting === undefined;
      if (isNew && (await countNames(tx, key)) >= MAX_AGENTS_OF_ACCOUNT) return { kind: "full" };
      const place = { name, app_id: key.appId, account_id: key.accountId };
      await writeAudit(tx, { atMs: nowMs, key, actor }, { act: "agent", subject: name, after: "code" });
      await replaceCode(tx, { code_hash: hashOfCode(plainCode(code)), ...place, expires_at_ms: expiresAtMs });
      return { kind: "issued", code, expiresAtMs };
    });
  }

  /**
   * Enrols an agent. `source`: the caller's network; wrong codes are counted per source. Codes are checked one by one: otherwise a caller
   * could try many codes in parallel before the first wrong code is counted.
   */
  async enrol(request: EnrolmentRequest, source: string): Promise<Enrolled> {
    if (readAgentKey(request.publicKey) === undefined) return { kind: "bad-key" };
    const enrolled = await this.#turns.take(ALL, () => this.#tryCode(request, source));
    if (enrolled.kind === "refused") await this.#services.tellWrong?.(source);
    return enrolled;
  }

  /** Counts a wrong code. Call this also for each wrong code that another process reports. */
  countWrong(source: string): void {
    this.#wrongFromOne.charge(source);
    this.#wrongFromAll.charge(ALL);
  }

  async #tryCode({ code, publicKey, version, host }: EnrolmentRequest, source: string): Promise<Enrolled> {
    if (!this.#wrongFromOne.has(source) || !this.#wrongFromAll.has(ALL)) return { kind: "too-many" };
    const { store, clock, chance } = this.#services;
    const [agent, nowMs] = [chance.uuid(), clock.nowMs()];
    const codeHash = hashOfCode(plainCode(code));
    const name = await store.commit(async (tx) => {
      const known = await selectCode(tx, codeHash);
      if (known === undefined || known.expires_at_ms <= nowMs) return undefined;
      await lockNames(tx);
      if (!(await takeCode(tx, codeHash))) return undefined;
      const place = { name: known.name, app_id: known.app_id, account_id: known.account_id };
      await replaceAgent(tx, { ...NEW_AGENT, ...place, agent_id: agent, public_key: publicKey, host, version, enrolled_at_ms: nowMs });
      return known.name;
    });
    if (name !== undefined) return { kind: "enrolled", agent, name };
    this.countWrong(source);
    return { kind: "refused" };
  }
}

const NEW_AGENT = {
  protocol: null,
  revoked_at_ms: null,
  folder: null,
  epoch: 0,
  offered_epoch: null,
  top_epoch: 0,
  forked_epoch: null,
  forked_folder: null,
  forked_at_ms: null,
  connected: 0,
  since_ms: null,
  process: null,
} satisfies Partial<AgentRow>;

function codeFrom(chance: Chance): string {
  const letters = Array.from(chance.bytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  const groups = Array.from({ length: CODE_LENGTH / GROUP_LENGTH }, (_, at) => letters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH));
  return groups.join("-");
}

function plainCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, "");
}
