import type { z } from "zod";
import type { SettingField } from "./acquirer.ts";

const MAX_SETTING_LENGTH = 2_048;

/**
 * A part of a setting. The schema `value` checks the part's text, and accepts undefined for an optional part. The schema's error message
 * states what is expected.
 */
interface PartOfSetting<Value extends z.ZodType = z.ZodType> {
  value: Value;
  label: { ru: string; en: string };
  secret: boolean;
}

export type PartsOfSetting = Readonly<Record<string, PartOfSetting>>;

type ValuesOf<Parts extends PartsOfSetting> = { [Name in keyof Parts]: z.output<Parts[Name]["value"]> };

type ReadSetting<Parts extends PartsOfSetting> =
  /** `shown`: the setting in the form's order, with every secret as ***. `secrets`: the texts of the secrets. */
  | { kind: "setting"; values: ValuesOf<Parts>; shown: string; secrets: readonly string[] }
  /**
   * `problem` repeats no value. `parts`: the wrong or missing parts; empty for a setting that is too long or has an unknown or repeated
   * part.
   */
  | { kind: "invalid"; problem: string; parts: readonly string[] };

/**
 * Reads `NAME?part=value&…`. The parts may come in any order, each once. A value may be percent-encoded as in a URL. A plus sign stays a
 * plus sign: passwords may contain one.
 */
export function readSetting<Parts extends PartsOfSetting>(
  kind: { name: string; form: string },
  parts: Parts,
  setting: string,
): ReadSetting<Parts> {
  const invalid = (problem: string, wrong: readonly string[] = []) =>
    ({ kind: "invalid", problem: `${problem}; the form is ${kind.form}`, parts: wrong }) as const;
  if (setting.length > MAX_SETTING_LENGTH) return invalid(`the setting is longer than ${MAX_SETTING_LENGTH} characters`);
  const written = writtenParts(setting, parts);
  if (written.kind === "invalid") return invalid(written.problem);
  const values: Record<string, unknown> = {};
  const problems = new Map<string, string>();
  for (const [name, { value }] of Object.entries(parts)) {
    const read = value.safeParse(written.texts.get(name));
    if (read.success) values[name] = read.data;
    else problems.set(name, written.texts.has(name) ? `${name} must be ${read.error.issues[0]?.message}` : `${name} is missing`);
  }
  if (problems.size > 0) return invalid([...problems.values()].join(", "), [...problems.keys()]);
  return { kind: "setting", values: values as ValuesOf<Parts>, ...shownOf(kind.name, parts, written.texts) };
}

/** The parts as a form shows them. */
export function fieldsOf(parts: PartsOfSetting): SettingField[] {
  return Object.entries(parts).map(([name, { value, label, secret }]) => {
    return { name, label, secret, required: !value.safeParse(undefined).success };
  });
}

type Written = { kind: "written"; texts: Map<string, string> } | { kind: "invalid"; problem: string };

function writtenParts(setting: string, parts: PartsOfSetting): Written {
  const texts = new Map<string, string>();
  const unknown: string[] = [];
  const mark = setting.indexOf("?");
  const pieces = mark < 0 ? [] : setting.slice(mark + 1).split("&");
  let before = "";
  let mayBeOfSecret = false;
  for (const piece of pieces.filter((each) => each !== "")) {
    const equals = piece.indexOf("=");
    const name = equals < 0 ? piece : piece.slice(0, equals);
    if (equals < 0 || !Object.hasOwn(parts, name)) {
      // A secret may contain a & that was not written as %26. Then this piece belongs to the secret, and the problem must not quote it.
      // An unknown name may be the mistyped name of a secret, so a piece after an unknown name is not quoted either.
      const isQuotable = NAME.test(name) && equals >= 0 && !mayBeOfSecret;
      unknown.push(isQuotable ? `"${name}"` : `one after "${before}" (a & inside a value is written %26)`);
      if (isQuotable) before = name;
      mayBeOfSecret = true;
      continue;
    }
    if (texts.has(name)) return { kind: "invalid", problem: `${name} is stated twice` };
    texts.set(name, decoded(piece.slice(equals + 1)));
    before = name;
    mayBeOfSecret = parts[name]?.secret === true;
  }
  if (unknown.length > 0) return { kind: "invalid", problem: `unknown: ${unknown.join(", ")}` };
  return { kind: "written", texts };
}

const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // The value has a percent sign that begins no valid escape. Then nothing in the value is decoded.
    if (error instanceof URIError) return text;
    throw error;
  }
}

function shownOf(name: string, parts: PartsOfSetting, texts: ReadonlyMap<string, string>): { shown: string; secrets: string[] } {
  const stated = Object.entries(parts).flatMap(([part, { secret }]) => {
    const text = texts.get(part);
    return text === undefined ? [] : [{ part, secret, text }];
  });
  const shown = stated.map(({ part, secret, text }) => `${part}=${secret ? "***" : encodeURIComponent(text)}`).join("&");
  return {
    shown: shown === "" ? name : `${name}?${shown}`,
    secrets: stated.filter(({ secret }) => secret).map(({ text }) => text),
  };
}
