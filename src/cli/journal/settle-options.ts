import { present } from "../../kernel/present.ts";
import { readOffProblem } from "../../operator/settling/read-off-schema.ts";
import { UsageError } from "../command.ts";
import { given } from "../option-values.ts";
import type { SettleOptions } from "./settle.ts";

interface SettleValues {
  done: boolean;
  refused: boolean;
  again: boolean;
  unconfirmed: boolean;
  why?: string;
  identity?: string;
  number?: string;
  sign?: string;
  time?: string;
  shift?: string;
  receipt?: string;
  sum?: string;
}

/** Throws `UsageError` unless the arguments are a document's figures, or a refusal with its reason. */
export function settleOptions(values: SettleValues): SettleOptions {
  const { done, refused, again, unconfirmed, why, identity, number, sign, time, shift, receipt, sum } = values;
  if (done === refused) throw new UsageError("settle needs either --done, with what stands on the paper, or --refused --why TEXT");
  const texts = { number, sign, time, shift, receipt, sum };
  if (refused) {
    if (why === undefined || why.trim() === "") throw new UsageError("--refused needs --why: how it is known that nothing was printed");
    const [typed] = Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [name]));
    if (typed !== undefined) throw new UsageError(`--${typed} stands on the paper of a document: --refused says that there is none`);
    if (identity !== undefined) throw new UsageError("--identity tells which register has printed: --refused says that none has");
    return { kind: "refused", why, again, unconfirmed };
  }
  const problem = readOffProblem(texts);
  if (problem !== undefined) throw new UsageError(`--${problem}`);
  return {
    kind: "done",
    texts,
    again,
    unconfirmed,
    ...present({ why }),
    ...(identity === undefined ? {} : { identityFile: given("--identity", identity, "a file") }),
  };
}
