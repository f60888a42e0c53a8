import { type CommandIo, lineByLine } from "./command.ts";

/** The result of counting stored rows anew. */
interface Recount<F> {
  readonly findings: readonly F[];
  /** The count ended early: too many findings, or a signal. */
  readonly isCut: boolean;
}

interface RecountWords<F> {
  textOf(finding: F): string;
  /** What was counted, with numbers. */
  readonly counted: string;
  /** What is said when everything was counted and nothing was found. */
  readonly agrees: string;
}

/** Prints the result of a count. Returns the exit code: 1 when a row differs or not everything was counted, otherwise 0. */
export function printRecount<F>(recount: Recount<F>, { textOf, counted, agrees }: RecountWords<F>, json: boolean, io: CommandIo): number {
  const { findings, isCut } = recount;
  const isRight = findings.length === 0 && !isCut;
  if (json) io.out(JSON.stringify({ ...recount, isRight }, undefined, 2));
  else {
    for (const finding of findings) lineByLine(io).out(textOf(finding));
    io.out(`${counted}: ${conclusion(recount, agrees)}`);
  }
  if (io.signal.aborted) io.err("A signal came first: not everything was counted.");
  return isRight ? 0 : 1;
}

function conclusion({ findings, isCut }: Recount<unknown>, agrees: string): string {
  if (findings.length === 0) return isCut ? "nothing is wrong so far" : agrees;
  return `${findings.length} rows differ${isCut ? ", and counting ended" : ""}`;
}
