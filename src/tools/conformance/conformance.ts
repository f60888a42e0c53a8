import { type Chance, type Clock, systemChance } from "../../kernel/clock.ts";
import { makeSigningKey, type SigningKey } from "../sandbox/caller/signing-key.ts";
import { asksServer } from "./catalogue.ts";
import { proveDevelopmentSet } from "./development-set.ts";
import { Exchanges } from "./exchanges/exchanges.ts";
import { installedAccounts, wordsOfMet } from "./leftovers.ts";
import type { AccountServices } from "./play/account.ts";
import { AccountIds } from "./play/account-ids.ts";
import { declaresLoyalty } from "./play/declared.ts";
import { Evidence, type Permission } from "./play/evidence.ts";
import { PlatformSide } from "./play/platform-side.ts";
import { type Paying, QrSide } from "./play/qr-side.ts";
import type { Limits, SceneServices } from "./play/scene.ts";
import type { LoyaltyGiven, Target } from "./play/target.ts";
import type { RunFacts } from "./report.ts";
import type { Group } from "./rules/rule.ts";
import { type Judged, type RunResult, runGroups } from "./run.ts";

/** The limits of a run, unless a test gives other limits. */
export const LIMITS: Limits = { vendorMs: 10_000, fiscalMs: 9_000, activationMs: 5_000, keysMs: 32_000, paidMs: 10_000 };

const KEY_PAIRS = 4;

export interface ConformanceOptions {
  target: Target;
  groups: readonly Group[];
  permission: Permission["kind"];
  /** The port on which the platform's side listens. 0 takes a free port. */
  port: number;
  clock: Clock;
  /** The platform's side of QR payment. Absent: the rules about QR payment are left out. */
  qr?: { port: number; issuer: string; paying: Paying } | undefined;
  /** An account whose loyalty programme is on, and its access key. Absent: the run installs its own account. */
  loyalty?: LoyaltyGiven | undefined;
  signal: AbortSignal;
  /**
   * `listening`: called when the platform's side listens, which happens only for rules that ask a server. `done`: called after
   * each rule.
   */
  listening?(base: string, keys: string | undefined): void;
  done?(judged: Judged): void;
  /** Only tests give `limits`, to shorten them, and `makeKey`, to get the same keys in each run. */
  limits?: Limits;
  makeKey?(): SigningKey;
}

type ConformanceResult =
  | { kind: "run"; result: RunResult; facts: Pick<RunFacts, "target" | "permission" | "drives" | "met"> }
  | { kind: "unreachable"; why: string };

/**
 * Examines a server: plays the platform for it and judges its answers. Everything that the run installs is removed again, as far as the
 * server allows it.
 */
export async function examine(options: ConformanceOptions): Promise<ConformanceResult> {
  const { target, groups, clock, limits = LIMITS } = options;
  const chance: Chance = systemChance;
  const platform = new PlatformSide(target.solution, clock, chance, declaresLoyalty(target));
  const exchanges = new Exchanges(clock, limits.vendorMs);
  const asks = asksServer(groups);
  const asksQr = groups.some(({ id }) => id.startsWith("qr/"));
  const qr = options.qr === undefined || !asksQr ? undefined : await QrSide.open({ ...options.qr, clock, chance });
  try {
    if (asks) await platform.open(options.port);
    if (asks) options.listening?.(platform.base, qr?.url);
    const why = asks ? await whyUnreachable(target, exchanges) : undefined;
    if (why !== undefined) return { kind: "unreachable", why };
    const makeKey = options.makeKey ?? keysInTurn();
    const common: AccountServices = {
      target,
      exchanges,
      platform,
      qr,
      loyalty: options.loyalty,
      clock,
      chance,
      accountIds: new AccountIds(),
      makeKey,
    };
    const evidence = new Evidence(permissionOf(options.permission, common));
    const services: SceneServices = { ...common, evidence, limits };
    const before = asks ? await installedAccounts(groups, common) : [];
    const result = await runGroups(groups, services, options.signal, options.done);
    const isDown = asks && result.left.length === 0 && !options.signal.aborted && !exchanges.gone;
    const met = wordsOfMet(before, isDown ? await installedAccounts(groups, common) : []);
    return { kind: "run", result, facts: { target, permission: options.permission, drives: evidence.drives, met } };
  } finally {
    await qr?.close();
    if (asks) await platform.close();
  }
}

/**
 * The platform makes a key pair for each installation. A pair takes a tenth of a second, so here a few pairs are used in turn.
 * That is enough for installations that follow one another to have different keys.
 */
function keysInTurn(): () => SigningKey {
  const keys: SigningKey[] = [];
  let next = 0;
  return () => {
    const key = keys[next] ?? makeSigningKey();
    keys[next] = key;
    next = (next + 1) % KEY_PAIRS;
    return key;
  };
}

function permissionOf(kind: Permission["kind"], services: AccountServices): Permission {
  return kind === "development-set" ? { kind, probe: () => proveDevelopmentSet(services) } : { kind };
}

/**
 * Returns why the server cannot be examined. Undefined: it has answered, whatever the answer was. A server that does not answer is not
 * counted as breaking a rule.
 */
async function whyUnreachable({ vendor, fiscal }: Target, exchanges: Exchanges): Promise<string | undefined> {
  for (const base of [vendor, fiscal]) {
    if (base === undefined) continue;
    const { exchange } = await exchanges.send("vendor", base.origin, { method: "GET", path: "/", headers: {} });
    if (exchange.kind === "no-answer") return `nothing answers at ${base.origin}: ${exchange.reason}`;
  }
  return undefined;
}
