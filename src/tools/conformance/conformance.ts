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

/** The limits of a run, except in tests. */
export const LIMITS: Limits = { vendorMs: 10_000, fiscalMs: 9_000, activationMs: 5_000, keysMs: 32_000, paidMs: 10_000 };

const KEY_PAIRS = 4;

export interface ConformanceOptions {
  target: Target;
  groups: readonly Group[];
  permission: Permission["kind"];
  /** 0: any free port. */
  port: number;
  clock: Clock;
  /** The platform's side of QR payment. Absent: the run skips the rules about QR payment. */
  qr?: { port: number; issuer: string; paying: Paying } | undefined;
  /** An account with a loyalty programme, and its access key. Absent: the run installs a separate account. */
  loyalty?: LoyaltyGiven | undefined;
  signal: AbortSignal;
  /**
   * Called once, when the platform's side listens. Not called when no rule sends requests. `base`: the address of the platform's side.
   * `keys`: the address of the QR token keys; undefined without `qr`, or without rules about QR payment.
   */
  listening?(base: string, keys: string | undefined): void;
  done?(judged: Judged): void;
  /** Only for tests: `limits` shortens a run, and `makeKey` repeats the same keys. */
  limits?: Limits;
  makeKey?(): SigningKey;
}

type ConformanceResult =
  | { kind: "run"; result: RunResult; facts: Pick<RunFacts, "target" | "permission" | "drives" | "met"> }
  | { kind: "unreachable"; why: string };

/**
 * Examines a server: plays the platform and judges the server's answers. Removes everything that the run installed, as far as the server
 * allows it.
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
 * The platform makes a key pair for each installation. Making a pair costs a tenth of a second, so a run uses a few pairs in turn.
 * Successive installations still get different keys.
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
 * Returns why the server cannot be examined. Undefined: each known address of the vendor and fiscal contracts answered, with any status. An
 * unreachable server breaks no rule.
 */
async function whyUnreachable({ vendor, fiscal }: Target, exchanges: Exchanges): Promise<string | undefined> {
  for (const base of [vendor, fiscal]) {
    if (base === undefined) continue;
    const { exchange } = await exchanges.send("vendor", base.origin, { method: "GET", path: "/", headers: {} });
    if (exchange.kind === "no-answer") return `nothing answers at ${base.origin}: ${exchange.reason}`;
  }
  return undefined;
}
