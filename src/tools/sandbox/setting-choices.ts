import { defaultSettings, type SandboxSettings } from "./settings.ts";

/** The settings without `plan`, which `--plan` sets. */
type Chosen = Omit<SandboxSettings, "plan">;

/** The allowed values: one of these texts, on or off, a day, or a whole number up to a maximum. */
type Choice = readonly string[] | "switch" | "day" | { readonly atMost: number };

/** The longest delay of the stock report is a day. */
const DAY_MS = 86_400_000;
/** The capacity of one rate limit window. A larger weight would refuse every request. */
const MAX_WEIGHT = 45;

const CHOICES: { readonly [Name in keyof Chosen]: Choice } = {
  accept: ["lenient", "strict"],
  alwaysMilliseconds: "switch",
  massStatus: ["family", "200"],
  webhookUniqueness: ["pair", "triple"],
  webhookAgent: ["1.0", "2.0"],
  webhookVersions: ["common", "separate"],
  oldVersionsEnd: "day",
  webhookTimeout: ["retry", "drop"],
  singleOpenShift: "switch",
  enforceReturnFlags: "switch",
  filterBySyncId: "switch",
  unknownFields: ["ignore", "refuse"],
  gzip: ["demanded", "optional"],
  fiscalMoneyScale: ["1", "100"],
  stockDelayMs: { atMost: DAY_MS },
  userWeight: { atMost: MAX_WEIGHT },
  solutionWeight: { atMost: MAX_WEIGHT },
  recycleBin: "switch",
  uniqueCodes: "switch",
};

/** Returns one help line for each setting: its values, its default, and a different default of the profile `production`. */
export function describeSettings(): readonly string[] {
  const [canonical, production] = [defaultSettings("canonical"), defaultSettings("production")];
  return names().map((name) => {
    const own = production[name] === canonical[name] ? "" : `, in production ${production[name]}`;
    return `${name}=${wordsOf(CHOICES[name])} (${canonical[name]}${own})`;
  });
}

/** Reads `NAME=VALUE`. `problem` is a text for the user. */
export function readSetting(text: string): { readonly setting: Partial<SandboxSettings> } | { readonly problem: string } {
  const [, written = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [text, text];
  const name = names().find((each) => each === written);
  if (name === undefined) return { problem: `there is no setting "${written}"; known are ${names().join(", ")}` };
  const choice = CHOICES[name];
  const read = chosenValue(choice, value);
  return read === undefined ? { problem: `${name} is ${wordsOf(choice)}, not "${value}"` } : { setting: { [name]: read } };
}

function names(): readonly (keyof Chosen)[] {
  return Object.keys(CHOICES) as (keyof Chosen)[];
}

function chosenValue(choice: Choice, text: string): string | number | boolean | undefined {
  if (choice === "switch") return text === "true" ? true : text === "false" ? false : undefined;
  if (choice === "day") return text === "never" || isDay(text) ? text : undefined;
  if ("atMost" in choice) return /^\d{1,9}$/.test(text) && Number(text) <= choice.atMost ? Number(text) : undefined;
  return choice.includes(text) ? text : undefined;
}

/** Whether the day exists in the calendar. */
function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

function wordsOf(choice: Choice): string {
  if (choice === "switch") return "true or false";
  if (choice === "day") return "never or a day YYYY-MM-DD";
  return "atMost" in choice ? `a whole number up to ${choice.atMost}` : choice.join(" or ");
}
