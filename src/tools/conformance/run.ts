import { messageOf } from "../../kernel/failure.ts";
import { needsOf } from "./catalogue.ts";
import { CannotRun, type CheckResult, StopRun } from "./exchanges/check-result.ts";
import { silenceIn } from "./exchanges/judged.ts";
import { Scene, type SceneServices } from "./play/scene.ts";
import type { Group, Rule } from "./rules/rule.ts";

/** The result of a rule. `behind`: the first cause, a directly or indirectly needed rule that is broken or could not run. */
export type Verdict = CheckResult | { kind: "not-run"; why: string; behind?: string };

export interface Judged {
  group: string;
  rule: Rule;
  verdict: Verdict;
}

export interface RunResult {
  judged: readonly Judged[];
  /** Words about everything that a group left open or installed. */
  left: readonly string[];
}

/**
 * Checks the groups in order. Each group has separate accounts, but the loyalty groups share one account id. The run removes the accounts
 * before the next group begins, and after an interruption. A rule runs only when all its needed rules in these groups are held.
 */
export async function runGroups(
  groups: readonly Group[],
  services: SceneServices,
  signal: AbortSignal,
  done: (judged: Judged) => void = () => {},
): Promise<RunResult> {
  const run = new Run(services, signal, done);
  for (const group of groups) await run.play(group);
  return run.result;
}

class Run {
  readonly #services: SceneServices;
  readonly #signal: AbortSignal;
  readonly #done: (judged: Judged) => void;
  readonly #judged: Judged[] = [];
  readonly #left: string[] = [];
  /** Why no further request may go to the server. Undefined: the run continues. */
  #stopped: string | undefined;

  constructor(services: SceneServices, signal: AbortSignal, done: (judged: Judged) => void) {
    this.#services = services;
    this.#signal = signal;
    this.#done = done;
  }

  get result(): RunResult {
    return { judged: this.#judged, left: this.#left };
  }

  async play(group: Group): Promise<void> {
    const scene = new Scene(this.#services, group.id);
    for (const rule of group.rules) {
      const judged: Judged = { group: group.id, rule, verdict: await this.#judge(rule, needsOf(group, rule), scene) };
      this.#judged.push(judged);
      this.#done(judged);
    }
    this.#left.push(...(await this.#takeDown(scene)));
  }

  async #judge(rule: Rule, needs: readonly string[], scene: Scene): Promise<Verdict> {
    if (this.#signal.aborted) return { kind: "not-run", why: "the run was interrupted" };
    if (this.#stopped !== undefined) return { kind: "not-run", why: this.#stopped };
    const missing = this.#judged.find(({ rule: { id }, verdict }) => needs.includes(id) && verdict.kind !== "held");
    if (missing?.verdict.kind === "not-applicable") return { kind: "not-applicable", why: `${missing.rule.id} does not apply either` };
    if (missing !== undefined) {
      const root = missing.verdict.kind === "not-run" ? (missing.verdict.behind ?? missing.rule.id) : missing.rule.id;
      return { kind: "not-run", why: `it says nothing while ${root} is not held; mend that first`, behind: root };
    }
    const { exchanges } = this.#services;
    exchanges.begin(rule.id);
    const verdict = await this.#checked(rule, scene);
    if (!exchanges.gone || verdict.kind === "held") return verdict;
    this.#stopped ??= `the server is gone since ${rule.id}: it takes no connection any more`;
    return { kind: "not-run", why: this.#stopped };
  }

  async #checked(rule: Rule, scene: Scene): Promise<Verdict> {
    const { exchanges } = this.#services;
    const before = exchanges.all.length;
    try {
      const result = await rule.check(scene);
      // A request without an answer proves nothing: neither that the server keeps the rule, nor, because the request may have changed the
      // state that the rule examines, that a later answer breaks it.
      const isJudged = result.kind === "broken" || result.kind === "held";
      const silence = isJudged && !rule.aboutTime ? silenceIn(exchanges.all.slice(before)) : undefined;
      return silence === undefined ? result : { kind: "not-run", why: silence };
    } catch (error) {
      if (error instanceof CannotRun) return { kind: "not-run", why: error.message };
      if (!(error instanceof StopRun))
        return { kind: "not-run", why: `the check itself failed, which is a fault of this program: ${messageOf(error)}` };
      this.#stopped = error.message;
      return { kind: "not-run", why: error.message };
    }
  }

  async #takeDown(scene: Scene): Promise<string[]> {
    try {
      return await scene.close();
    } catch (error) {
      return [`something may still be open or installed: ${messageOf(error)}`];
    }
  }
}
