import type { Actor } from "../../accounts/audit.ts";
import { NOT_SET, type WantedSetting } from "../../accounts/settings.ts";
import type { SettingName } from "../../accounts/settings-schema.ts";
import { told } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { PageContext } from "./context.ts";
import { missingIn, operationsOf, registerViewOf, settingsViewOf } from "./pages.ts";
import type { NamedPoint } from "./point.ts";
import { addressWords, readAddress } from "./register-input.ts";
import { type RegisterView, registerSection, savedWords } from "./register-section.ts";
import type { SettingsPageServices } from "./services.ts";
import { missingPlace, missingSection, setUpWords } from "./set-up-section.ts";
import { overtakenWords, refusedWords, settingsIn, settingsSection } from "./settings-section.ts";

type Form = ReadonlyMap<string, string>;

/** The part of the page that replaces the part whose form was sent. 422: a value in it must be corrected. */
export interface Answered {
  status: 200 | 422;
  markup: Markup;
}

/** Changes the settings whose typed value differs from the value that the person was shown. */
export async function saveSettings(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say, session } = context;
  const names = settingsIn(point.id);
  const typed = new Map(names.map((name) => [name, form.get(name)?.trim() ?? ""] as const));
  const wanted: WantedSetting[] = names
    .filter((name) => form.has(name) && typed.get(name) !== form.get(`shown.${name}`))
    .map((name) => ({ name, text: typed.get(name) ?? "", seen: form.get(`seen.${name}`) ?? NOT_SET }));
  const result = await services.change({ key: keyOf(point), actor: actorOf(session) }, point.id, wanted);
  const view = await settingsViewOf(services, context, point);
  if (result.kind === "changed") {
    const nothing = told("done", say("Всё уже так и настроено", "Everything is set so already"));
    const saved = told("done", say("Настройки сохранены", "The settings are saved"));
    const words = setUpWords(say, result.setUp) ?? (result.names.length === 0 ? nothing : saved);
    return { status: 200, markup: settingsSection(say, view, words) };
  }
  const problems = new Map<string, Content>(
    result.kind === "refused"
      ? result.problems.map(({ name }) => [name, refusedWords(say, name as SettingName)])
      : result.settings.map(({ name, shown }) => [
          name,
          overtakenWords(say, name as SettingName, shown, typed.get(name as SettingName) ?? ""),
        ]),
  );
  return { status: 422, markup: settingsSection(say, { ...view, typed, problems }) };
}

/** Draws the form for another kind of register, with the values typed so far. Passwords among them may not travel in an address. */
export async function registerForm(
  services: SettingsPageServices,
  context: PageContext,
  point: NamedPoint,
  typed: Form,
): Promise<Answered> {
  const { registers } = services;
  const read = readAddress(context.say, registers, typed, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, { parts: read.parts, address: read.shown });
  return { status: 200, markup: registerSection(context.say, view) };
}

/** Asks the register at the typed address for its identity. Saves nothing. */
export async function testRegister(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say } = context;
  const read = readAddress(say, services.registers, form, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, { parts: read.parts, address: read.shown });
  if (read.kind === "wrong") return wrong(context, { ...view, problems: read.problems });
  const tried = await tryOut(services, point, read.address);
  if (tried.kind === "invalid") return wrong(context, { ...view, problems: addressProblem(say, services, tried.problem) });
  return { status: 200, markup: registerSection(say, { ...view, tried }) };
}

/**
 * Saves the register after it has answered. A register that does not answer is saved only when the person confirms it, because the address
 * may be mistyped.
 */
export async function saveRegister(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say, session } = context;
  const isClear = form.get("clear") === "yes";
  const read = readAddress(say, services.registers, form, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, { parts: read.parts, address: read.shown });
  if (!isClear && read.kind === "wrong") return wrong(context, { ...view, problems: read.problems });
  const address = isClear || read.kind === "wrong" ? "" : read.address;
  // A person who saves without an answer has just seen that there is none.
  const tried = address === "" || form.get("anyway") === "yes" ? undefined : await tryOut(services, point, address);
  if (tried?.kind === "invalid") return wrong(context, { ...view, problems: addressProblem(say, services, tried.problem) });
  if (tried !== undefined && tried.kind !== "answers") {
    return { status: 422, markup: registerSection(say, { ...view, tried, mayForce: true }) };
  }
  const wanted = [{ name: "register", text: address, seen: form.get("seen.register") ?? NOT_SET }];
  const result = await services.change({ key: keyOf(point), actor: actorOf(session) }, point.id, wanted);
  if (result.kind === "refused")
    return wrong(context, { ...view, problems: addressProblem(say, services, result.problems[0]?.problem ?? "") });
  if (result.kind === "overtaken") {
    const now = result.settings[0]?.shown ?? "";
    return wrong(context, { ...view, problems: new Map([["scheme", overtakenWords(say, "register", now, read.shown)]]) });
  }
  const saved = await registerViewOf(services, context, point);
  const words = setUpWords(say, result.setUp) ?? savedWords(say);
  const section = registerSection(say, { ...saved, ...(tried === undefined ? {} : { tried }) }, words);
  // The other parts of the page were drawn without this register, so they are replaced too.
  const missing = missingPlace(say, await missingIn(services, context), context.mayChange, true);
  return { status: 200, markup: html`${section}${missing}${await operationsOf(services, context, point, { beside: true })}` };
}

/** Words beside the whole address, which is wrong in a way that no other control can mend. */
function addressProblem(say: PageContext["say"], { registers }: SettingsPageServices, problem: string): RegisterView["problems"] {
  return new Map([["register", addressWords(say, registers, problem)]]);
}

/** The stored address of the point of sale, with its passwords hidden. */
async function addressInForce({ settings }: SettingsPageServices, { id, place }: NamedPoint): Promise<string> {
  const stored = await settings.versions(place, id);
  return stored.find((row) => row.storeId === id && row.name === "register")?.shown ?? "";
}

async function tryOut(services: SettingsPageServices, { id, place }: NamedPoint, address: string) {
  const whole = await services.settings.filledIn(place, id, "register", address);
  return services.desk.tryAddress(place, whole);
}

function wrong({ say }: PageContext, view: RegisterView): Answered {
  return { status: 422, markup: registerSection(say, view) };
}

/** Lets the register print its counters. */
export async function testSlip(services: SettingsPageServices, context: PageContext, point: NamedPoint): Promise<Answered> {
  const { say, session } = context;
  const made = await services.testSlip(point.place, session.name);
  const words =
    made.kind === "made"
      ? told(
          "done",
          say("Касса напечатала X-отчёт. Ничего не зарегистрировано.", "The register has made an X report. Nothing was registered."),
        )
      : told(
          "error",
          say("Касса не напечатала X-отчёт. Причина — в списке операций.", "The register has made no X report. The list has the reason."),
        );
  return { status: 200, markup: await operationsOf(services, context, point, { said: words }) };
}

/** Tells the platform again that the set-up is complete. */
export async function activate(services: SettingsPageServices, context: PageContext): Promise<Markup> {
  const { say, session, mayChange } = context;
  const { appId, accountId } = session;
  const setUp = await services.finishSetUp({ appId, accountId });
  const words = setUpWords(say, setUp);
  if (setUp.kind === "activated" || setUp.kind === "not-waiting") return html`${words}`;
  return html`${missingSection(say, await missingIn(services, context), mayChange)}${words}`;
}

function keyOf({ place: { appId, accountId } }: NamedPoint): { appId: string; accountId: string } {
  return { appId, accountId };
}

function actorOf({ name }: PageContext["session"]): Actor {
  return { name, place: "page" };
}
