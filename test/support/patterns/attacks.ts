import { StepCounter } from "./steps.ts";
import type { Syntax } from "./syntax.ts";

/** A text for which a pattern takes more steps than its length explains: `head`, then `pump` until a length is reached, then `tail`. */
export interface Attack {
  head: string;
  pump: string;
  tail: string;
}

/**
 * The shorter of the two lengths that are compared. Bounded repetitions, such as `{1,64}` or a name of 200 characters,
 * have reached their bound here.
 */
const SHORT = 300;
const LONG = 900;
/** By how much the steps may grow when the length is three times as large. Linear work grows by three, quadratic work by nine. */
const LINEAR_AT_MOST = 4.5;
/**
 * The length of a short first test, and the steps for each character that are harmless in it. The first test leaves out nearly every
 * attack.
 */
const FIRST_LENGTH = 32;
const FIRST_AT_MOST = 8;
/**
 * The limit of steps for each character, where the counting ends, because an exponential pattern would never end. No linear
 * pattern comes near it.
 */
const MAX_STEPS = 1_000;
/** The largest number of kinds of characters for which pairs of characters are tried as pumps, each with every end. */
const PAIRED_KINDS = 6;
/** A character that hardly any pattern contains. */
const UNKNOWN = "\0";

/** An attack under which the steps of the pattern grow faster than the text. Undefined: none was found. */
export function attackOn(source: string, flags: string): Attack | undefined {
  const counter = new StepCounter(source, flags);
  if (!repeatsAtAll(counter.syntax)) return undefined;
  return attacksOn(counter).find((attack) => growsTooFast(counter, attack));
}

function growsTooFast(counter: StepCounter, attack: Attack): boolean {
  const steps = (length: number) => counter.steps(textOf(attack, length), length * MAX_STEPS);
  if (steps(FIRST_LENGTH) <= FIRST_AT_MOST * FIRST_LENGTH) return false;
  const short = steps(SHORT);
  return short > SHORT * MAX_STEPS || steps(LONG) > short * LINEAR_AT_MOST;
}

function textOf({ head, pump, tail }: Attack, length: number): string {
  // Only whole pumps are repeated, because another end could turn a failure into a match.
  return head + pump.repeat(Math.ceil(length / pump.length)) + tail;
}

/** Makes attacks from the parts of the pattern: the text before each repetition, the repeated text, and a wrong end. */
function attacksOn(counter: StepCounter): Attack[] {
  const kinds = kindsOf(counter);
  const words = wordsIn(counter.syntax, counter);
  const heads = new Set(["", ...words.heads]);
  const pairs = kinds.length > PAIRED_KINDS ? [] : kinds.flatMap((first) => kinds.map((second) => first + second));
  // The beginning of a match, and a character that separates it from the next beginning.
  const parted = words.pumps.flatMap((word) => (word.length > 1 ? kinds.map((kind) => word + kind) : []));
  const pumps = new Set([...kinds, ...pairs, ...words.pumps, ...parted].filter((pump) => pump !== ""));
  const tails = ["", ...(kinds.length > PAIRED_KINDS ? ["\n", UNKNOWN] : kinds)];
  return [...heads].flatMap((head) => [...pumps].flatMap((pump) => tails.map((tail) => ({ head, pump, tail }))));
}

/** One character of each kind that the pattern can distinguish, and one that it does not contain. */
function kindsOf(counter: StepCounter): string[] {
  const sources = [...new Set(onesIn(counter.syntax).map(({ source }) => source))];
  const kinds = new Map<string, string>();
  for (const code of CANDIDATES) {
    const has = (source: string) => (counter.has(source, code) ? "1" : "0");
    // The ends of words and lines distinguish characters as classes do.
    const kind = [...sources, "\\w", "\\n"].map(has).join("");
    if (!kinds.has(kind)) kinds.set(kind, String.fromCharCode(code));
  }
  return [...kinds.values()];
}

/** Characters that stand for their kind. Letters and digits come first, because a person reads them in messages. */
const CANDIDATES = [
  ...Array.from("a1A0Я+@/=.:-_ \n\t\r\"'<(,#$", (character) => character.charCodeAt(0)),
  ...Array.from({ length: 0x100 }, (_, code) => code),
  ...[0x301, 0x416, 0x44f, 0x2028, 0x200b, 0x2194, 0xd83d, 0xfeff],
];

interface Words {
  heads: string[];
  pumps: string[];
}

/** For each repetition the shortest text before it and the repeated text, and the beginnings of a whole match. */
function wordsIn(syntax: Syntax, counter: StepCounter): Words {
  const words: Words = { heads: [], pumps: [] };
  const walk = (part: Syntax, before: string): void => {
    switch (part.kind) {
      case "sequence": {
        let lead = before;
        for (const inner of part.parts) {
          walk(inner, lead);
          lead += shortest(inner, counter);
        }
        break;
      }
      case "choice":
        for (const way of part.ways) walk(way, before);
        break;
      case "look":
        walk(part.body, before);
        break;
      case "repeat":
        words.heads.push(before);
        words.pumps.push(shortest(part.body, counter), before + shortest(part.body, counter));
        walk(part.body, before);
        break;
      case "one":
      case "place":
        break;
    }
  };
  walk(syntax, "");
  return words;
}

/** A text that the part matches, without regard to look-arounds and places. */
function shortest(syntax: Syntax, counter: StepCounter): string {
  switch (syntax.kind) {
    case "one":
      return String.fromCharCode(CANDIDATES.find((code) => counter.has(syntax.source, code)) ?? 0);
    case "sequence":
      return syntax.parts.map((part) => shortest(part, counter)).join("");
    case "choice":
      return syntax.ways[0] === undefined ? "" : shortest(syntax.ways[0], counter);
    case "repeat":
      return shortest(syntax.body, counter).repeat(syntax.min);
    case "place":
    case "look":
      return "";
  }
}

function onesIn(syntax: Syntax): (Syntax & { kind: "one" })[] {
  switch (syntax.kind) {
    case "one":
      return [syntax];
    case "sequence":
      return syntax.parts.flatMap(onesIn);
    case "choice":
      return syntax.ways.flatMap(onesIn);
    case "repeat":
    case "look":
      return onesIn(syntax.body);
    case "place":
      return [];
  }
}

/**
 * Whether the pattern repeats anything without an upper bound. Without such a repetition it takes a bounded number of steps at each place.
 */
function repeatsAtAll(syntax: Syntax): boolean {
  switch (syntax.kind) {
    case "one":
    case "place":
      return false;
    case "sequence":
      return syntax.parts.some(repeatsAtAll);
    case "choice":
      return syntax.ways.some(repeatsAtAll);
    case "look":
      return repeatsAtAll(syntax.body);
    case "repeat":
      return syntax.max === Number.POSITIVE_INFINITY || repeatsAtAll(syntax.body);
  }
}
