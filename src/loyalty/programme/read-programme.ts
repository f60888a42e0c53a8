import { cutText } from "../../kernel/cut-text.ts";
import { jsonExcess } from "../../kernel/json/json-bounds.ts";
import { parseStorable } from "../../kernel/json/storable.ts";
import { present } from "../../kernel/present.ts";
import { MAX_PROGRAMME_CHARACTERS } from "./bounds.ts";
import { longestLifeDays } from "./longest-life.ts";
import type { Programme } from "./programme.ts";
import { programmeSchema } from "./programme-schema.ts";

/**
 * The deepest nesting, and the largest number of structural marks of the JSON. A programme of the greatest length that consists of the
 * platform's ids has 27,000 marks and five levels. Shorter ids make more marks.
 */
const BOUNDS = { depth: 32, marks: 60_000 };
/** The longest reason. A reason may quote unknown names, and a file may have tens of thousands of them. */
const MAX_REASON = 300;

/** A contradiction between fields that are valid alone, or between a field and the server. */
export type Contradiction =
  /** The programme asks for codes, but the server has no channel for them. */
  | "no-channel"
  | "tier-name-taken"
  | "tier-start-taken"
  | "rule-id-taken"
  | "ends-before-it-begins"
  | "tier-unknown"
  /** The rule of a set price names neither products nor a number of pieces. */
  | "set-unnamed"
  /** The number of pieces in a set is not whole. */
  | "set-of-parts"
  /** Points would expire before they become active. */
  | "ends-before-active";

/**
 * `place`: a path such as `rules[3].value`; empty: the whole file. `reason`: in English. `contradiction`: set when the fields are valid
 * alone.
 */
export type ProgrammeReading =
  | { kind: "read"; programme: Programme }
  | { kind: "refused"; place: string; reason: string; contradiction?: Contradiction };

interface ReadingOptions {
  /** Whether the server can send codes. */
  hasChannel: boolean;
  /**
   * True: the text is a stored programme. Earlier versions of the server accepted points that expire before they become active. Such a
   * programme is still read, so that tills go on.
   */
  isStored?: boolean;
}

/** Reads a programme file. Refuses unknown names, values out of range, contradicting fields, and codes without a channel. */
export function readProgramme(text: string, options: ReadingOptions): ProgrammeReading {
  if (text.length > MAX_PROGRAMME_CHARACTERS) return refused("", `must be at most ${MAX_PROGRAMME_CHARACTERS} characters`);
  const excess = jsonExcess(text, BOUNDS);
  if (excess !== undefined) return refused("", `has ${excess}`);
  const json = jsonIn(text);
  if (json === undefined) return refused("", "must be JSON");
  const read = programmeSchema.safeParse(json.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return refused(placeOf(issue?.path ?? []), cutText(issue?.message ?? "is wrong", MAX_REASON));
  }
  return contradictionIn(read.data, options) ?? { kind: "read", programme: read.data };
}

/** Returns the programme of an account that has set none (payments surface 8). */
export function defaultProgramme(): Programme {
  return programmeSchema.parse({});
}

function jsonIn(text: string): { value: unknown } | undefined {
  try {
    return { value: parseStorable(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function contradictionIn(programme: Programme, { hasChannel, isStored = false }: ReadingOptions): ProgrammeReading | undefined {
  const ofParts = codesWithoutChannel(programme, hasChannel) ?? overlappingTiers(programme) ?? contradictoryRules(programme);
  return ofParts ?? (isStored ? undefined : expiryBeforeActivation(programme));
}

function codesWithoutChannel({ verification }: Programme, hasChannel: boolean): ProgrammeReading | undefined {
  if (hasChannel) return undefined;
  const words = "wants verification codes, and the server has no channel that carries them";
  if (verification.newCustomer) return refused("verification.newCustomer", words, "no-channel");
  return verification.spending === "never" ? undefined : refused("verification.spending", words, "no-channel");
}

/** Refuses two tiers with one name, and two tiers that begin at the same sum: each tier ends where the next tier begins. */
function overlappingTiers({ tiers }: Programme): ProgrammeReading | undefined {
  const names = new Map<string, number>();
  const starts = new Map<number, number>();
  for (const [index, { name, fromKopecks }] of tiers.entries()) {
    const namesake = names.get(name);
    if (namesake !== undefined) return refused(`tiers[${index}].name`, `is the name of tiers[${namesake}] too`, "tier-name-taken");
    const other = starts.get(fromKopecks);
    if (other !== undefined)
      return refused(`tiers[${index}].fromKopecks`, `overlaps tiers[${other}], which begins at the same sum`, "tier-start-taken");
    names.set(name, index);
    starts.set(fromKopecks, index);
  }
  return undefined;
}

function contradictoryRules({ rules, tiers }: Programme): ProgrammeReading | undefined {
  const seen = new Map<string, number>();
  for (const [index, { id, from, to, when, effect }] of rules.entries()) {
    const namesake = seen.get(id);
    if (namesake !== undefined) return refused(`rules[${index}].id`, `is the id of rules[${namesake}] too`, "rule-id-taken");
    seen.set(id, index);
    if (from !== undefined && to !== undefined && from > to)
      return refused(`rules[${index}].to`, "is before the first day", "ends-before-it-begins");
    if (when.tier !== undefined && !tiers.some(({ name }) => name === when.tier))
      return refused(`rules[${index}].when.tier`, "names no tier of this programme", "tier-unknown");
    if (effect.kind === "bundle" && when.products === undefined && when.leastQuantityMillionths === undefined)
      return refused(
        `rules[${index}].when`,
        "must name the products of the set, or how many pieces make one (leastQuantity)",
        "set-unnamed",
      );
    if (effect.kind === "bundle" && (when.leastQuantityMillionths ?? 0) % 1_000_000 !== 0)
      return refused(`rules[${index}].when.leastQuantity`, "must be whole: a set is made of pieces", "set-of-parts");
  }
  return undefined;
}

function expiryBeforeActivation({ activation, expiry }: Programme): ProgrammeReading | undefined {
  if (activation.kind !== "days" || activation.days < longestLifeDays(expiry)) return undefined;
  const place = expiry.kind === "days" || expiry.kind === "rolling" ? "expiry.days" : "expiry.kind";
  return refused(place, "ends before points become active", "ends-before-active");
}

function refused(place: string, reason: string, contradiction?: Contradiction): ProgrammeReading {
  return { kind: "refused", place, reason, ...present({ contradiction }) };
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map((part, nth) => (typeof part === "number" ? `[${part}]` : nth === 0 ? String(part) : `.${String(part)}`)).join("");
}
