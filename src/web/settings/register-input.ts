import type { Content } from "../html.ts";
import type { Say } from "../language.ts";
import { PREFIX } from "./register-section.ts";
import type { RegisterForm, RegisterOption, SettingsPageServices } from "./services.ts";

/** The typed values. `whole`: the text of the whole-address control, without passwords. */
interface Typed {
  parts: Readonly<Record<string, string>>;
  whole: string;
}

export type ReadAddress =
  /** `shownAddress`: the address without its passwords. */
  | (Typed & { kind: "address"; address: string; shownAddress: string })
  /** `problems`: words beside a control, by its name without `register.`. */
  | (Typed & { kind: "wrong"; problems: ReadonlyMap<string, Content> });

/** Replaces a stored password on the page. If it comes back unchanged, the stored password stays. */
const HIDDEN = "***";
const MAX_PORT = 65_535;
/** For each kind of place, the control that is wrong when the address cannot be read. All other controls were checked before. */
const PLACE_CONTROLS = { name: "name", network: "host", serial: "port" } as const;
/** The part of an address after its scheme, for each kind of place. */
const EXAMPLES = { name: "kassa-1", network: "//192.168.1.50:7778", serial: "/dev/ttyUSB0?baud=115200" } as const;

/**
 * Returns the typed address: the whole address when the person changed it, otherwise the address made of the parts. Asks no device. For a
 * wrong value, returns the control's name and words that say what to do.
 */
export function readAddress(
  say: Say,
  registers: SettingsPageServices["registers"],
  form: ReadonlyMap<string, string>,
  /** The stored address with hidden passwords. It is not read from the form, because a request may invent the form's values. */
  inForce: string,
): ReadAddress {
  const stored = form.get("shown.register") ?? "";
  const whole = form.get("register")?.trim() ?? "";
  const parts = partsIn(form, registers.partsOf(stored));
  if (whole !== "" && whole !== stored) return readWhole(say, registers, { whole, inForce });
  const chosen = registers.forms.find(({ scheme }) => scheme === parts.scheme);
  if (chosen === undefined)
    return { kind: "wrong", parts, whole, problems: new Map([["scheme", say("Выберите вид кассы.", "Choose a kind.")]]) };
  const problems = problemsIn(say, chosen, parts);
  if (problems.size > 0) return { kind: "wrong", parts: withoutSecrets(chosen, parts), whole, problems };
  const address = registers.addressOf(chosen, parts);
  const problem = registers.problemOf(address.replaceAll(HIDDEN, "1"));
  if (problem !== undefined) {
    const control = PLACE_CONTROLS[chosen.place.kind];
    const problems = new Map([[control, addressWords(say, { forms: [chosen] }, problem)]]);
    return { kind: "wrong", parts: withoutSecrets(chosen, parts), whole, problems };
  }
  const kept = keptSecrets(say, registers.partsOf(inForce), parts);
  if (kept.size > 0) return { kind: "wrong", parts: withoutSecrets(chosen, parts), whole, problems: kept };
  const shown = withoutSecrets(chosen, parts);
  return { kind: "address", parts: shown, whole, address, shownAddress: registers.addressOf(chosen, shown) };
}

/**
 * Returns words beside stored passwords that would move to another host or scheme. A person who changed the host may not know the password,
 * so the server must not send the password to the new host.
 */
function keptSecrets(say: Say, before: Typed["parts"] | undefined, now: Typed["parts"]): Map<string, Content> {
  if (before?.scheme === now.scheme && before?.host === now.host) return new Map();
  const words = say("Адрес изменился. Введите пароль ещё раз.", "The address has changed. Type the password again.");
  return new Map(Object.entries(now).flatMap(([name, value]): [string, Content][] => (value === HIDDEN ? [[name, words]] : [])));
}

function readWhole(
  say: Say,
  registers: SettingsPageServices["registers"],
  { whole, inForce }: { whole: string; inForce: string },
): ReadAddress {
  const shown = whole.replaceAll(/([?&][a-z]*password=)[^&]*/gi, `$1${HIDDEN}`);
  const parts = registers.partsOf(shown) ?? {};
  const problem = registers.problemOf(whole.replaceAll(HIDDEN, "1"));
  if (problem !== undefined)
    return { kind: "wrong", parts, whole: shown, problems: new Map([["register", addressWords(say, registers, problem)]]) };
  const kept = keptSecrets(say, registers.partsOf(inForce), registers.partsOf(whole) ?? {});
  if (kept.size > 0) return { kind: "wrong", parts, whole: shown, problems: new Map([...kept].map(([, words]) => ["register", words])) };
  return { kind: "address", parts, whole: shown, address: whole, shownAddress: shown };
}

/**
 * Returns words beside a refused address. The parser explains itself in English, so the Russian words show an example of each given form.
 * The words contain no value of an option, because the value may be a password.
 */
export function addressWords(say: Say, { forms }: Pick<SettingsPageServices["registers"], "forms">, problem: string): string {
  const examples = forms.map(({ scheme, place }) => `${scheme}:${EXAMPLES[place.kind]}`).join(", ");
  return say(`Такой адрес не подходит. Принимается, например: ${examples}.`, problem);
}

/** Returns the typed parts. For the stored scheme, an empty password means the stored password. */
function partsIn(form: ReadonlyMap<string, string>, stored: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const parts: Record<string, string> = {};
  for (const [name, value] of form) if (name.startsWith(PREFIX)) parts[name.slice(PREFIX.length)] = value.trim();
  if (stored === undefined || stored.scheme !== parts.scheme) return parts;
  for (const [name, value] of Object.entries(stored)) if (value === HIDDEN && (parts[name] ?? "") === "") parts[name] = HIDDEN;
  return parts;
}

function withoutSecrets({ options }: RegisterForm, parts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, options[name]?.secret && value !== "" ? HIDDEN : value]));
}

function problemsIn(say: Say, { place, options }: RegisterForm, parts: Readonly<Record<string, string>>): Map<string, Content> {
  const problems = new Map<string, Content>();
  const part = (name: string) => parts[name] ?? "";
  if (place.kind === "name" && part("name") === "")
    problems.set("name", say("Введите название, например kassa-1.", "Type a name, such as till-1."));
  if (place.kind === "network") {
    if (part("host") === "")
      problems.set("host", say("Введите адрес кассы, например 192.168.1.50.", "Type the address, such as 192.168.1.50."));
    const port = part("port") === "" ? String(place.port) : part("port");
    if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > MAX_PORT)
      problems.set(
        "port",
        say(
          `Порт — целое число от 1 до ${MAX_PORT}, обычно ${place.port}.`,
          `A whole number from 1 to ${MAX_PORT}, usually ${place.port}.`,
        ),
      );
  }
  if (place.kind === "serial" && part("port") === "")
    problems.set("port", say("Выберите порт, к которому подключён кабель.", "Choose the port of the cable."));
  for (const [name, option] of Object.entries(options)) {
    const value = part(name);
    if (value !== "" && value !== HIDDEN && !takes(option, value)) problems.set(name, rangeWords(say, option));
  }
  return problems;
}

function takes({ values }: RegisterOption, value: string): boolean {
  if (!("least" in values)) return values.includes(value);
  return /^(0|[1-9]\d{0,9})$/.test(value) && Number(value) >= values.least && Number(value) <= values.most;
}

function rangeWords(say: Say, { values }: RegisterOption): string {
  if (!("least" in values)) return say(`Выберите одно из: ${values.join(", ")}.`, `One of ${values.join(", ")}.`);
  return say(`Целое число от ${values.least} до ${values.most}.`, `A whole number from ${values.least} to ${values.most}.`);
}
