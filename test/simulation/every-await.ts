import type { Job } from "./range.ts";

/** A shift with few documents, because the run is made once for each of its awaits. */
const SHORT = { shifts: 1, documentsAShift: 4 };
/** The next life dies soon too, while it takes up what the first life has left: within so many awaits, each time at another one. */
const RECOVERY_AWAITS = 97;

/** The run without deaths. `deathsAt` goes through its awaits. */
export function undisturbed(seed: number): Job {
  return { seed, deaths: { kind: "at", await: 0, fate: "die-before" }, ...SHORT };
}

/** The same run once for each of its awaits. The server dies there, before and after, and again soon after the restart. */
export function* deathsAt(seed: number, awaits: number): Generator<Job> {
  for (let at = 1; at <= awaits; at += 1) {
    yield deathAt(seed, at, "die-before");
    yield deathAt(seed, at, "die-after");
  }
}

/** The options of `npm run simulate` that make the same run again. */
export function optionsOf({ seed, kind, mutation, restores, deaths }: Job): string {
  const at = deaths?.kind === "at" ? ` --at ${deaths.await}${deaths.fate === "die-after" ? " --after" : ""}` : "";
  const where = kind === undefined ? "" : kind === "agent" ? " --part agent" : ` --world ${kind}`;
  const which = `${where}${mutation === undefined ? "" : ` --without ${mutation}`}`;
  return `--seeds 1 --seed ${seed}${which}${restores === true ? " --restored" : ""}${at}`;
}

/** The run in which the server dies at this await, and its next life soon after. */
export function deathAt(seed: number, at: number, fate: "die-before" | "die-after"): Job {
  return { seed, deaths: { kind: "at", await: at, fate, again: 1 + (at % RECOVERY_AWAITS) }, ...SHORT };
}
