import type { Actor } from "../../accounts/audit.ts";
import type { WantedSetting } from "../../accounts/settings.ts";
import type { SettingName } from "../../accounts/settings-schema.ts";
import { told } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import { enrolAgent } from "./agents/agent-acts.ts";
import type { PageContext } from "./context.ts";
import { missingIn, operationsOf, registerViewOf, settingsViewOf } from "./pages.ts";
import type { NamedPoint } from "./point.ts";
import { addressWords, type ReadAddress, readAddress } from "./register-input.ts";
import { type RegisterView, registerSection, savedWords } from "./register-section.ts";
import { seenIn, seenNow } from "./seen-setting.ts";
import type { SettingsPageServices } from "./services.ts";
import { missingPlace, missingSection, setUpWords } from "./set-up-section.ts";
import { overtakenWords, refusedWords, settingsIn, settingsSection } from "./settings-section.ts";

type Form = ReadonlyMap<string, string>;

/** The part of the page that replaces the submitted part. 422: the person must correct or confirm something in it. */
export interface Answered {
  status: 200 | 422;
  markup: Markup;
}

/** Changes the settings whose typed value differs from the shown value. */
export async function saveSettings(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say, session } = context;
  const names = settingsIn(point.id);
  const typed = new Map(names.map((name) => [name, form.get(name)?.trim() ?? ""] as const));
  const wanted: WantedSetting[] = names
    .filter((name) => form.has(name) && typed.get(name) !== form.get(`shown.${name}`))
    .map((name) => ({ name, text: typed.get(name) ?? "", seen: seenIn(form, name).version }));
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
  const overtaken = result.kind === "overtaken" ? result.settings : [];
  const seen = new Map([
    ...names.map((name) => [name, seenIn(form, name)] as const),
    ...overtaken.map((now) => [now.name, { version: now.version, shown: now.shown }] as const),
  ]);
  return { status: 422, markup: settingsSection(say, { ...view, typed, problems, seen }) };
}

/**
 * Draws the form for another kind of register with the typed values. The browser sends them in a body, because passwords must not appear in
 * an address.
 */
export async function registerForm(
  services: SettingsPageServices,
  context: PageContext,
  point: NamedPoint,
  typed: Form,
): Promise<Answered> {
  const { registers } = services;
  const read = readAddress(context.say, registers, typed, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, typedRegister(read, typed));
  return { status: 200, markup: registerSection(context.say, view) };
}

/** Asks the register at the typed address for its identity. Saves nothing. */
export async function testRegister(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say } = context;
  const read = readAddress(say, services.registers, form, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, typedRegister(read, form));
  if (read.kind === "wrong") return wrong(context, { ...view, problems: read.problems });
  const tried = await tryOut(services, point, read.address);
  if (tried.kind === "invalid") return wrong(context, { ...view, problems: addressProblem(say, services, tried.problem) });
  return { status: 200, markup: registerSection(say, { ...view, tried }) };
}

/**
 * Saves the typed register, or removes the stored register. A register that does not answer is saved only when the person confirms it,
 * because the address may be mistyped.
 */
export async function saveRegister(services: SettingsPageServices, context: PageContext, point: NamedPoint, form: Form): Promise<Answered> {
  const { say, session } = context;
  const isClear = form.get("clear") === "yes";
  const read = readAddress(say, services.registers, form, await addressInForce(services, point));
  const view = await registerViewOf(services, context, point, typedRegister(read, form));
  if (!isClear && read.kind === "wrong") return wrong(context, { ...view, problems: read.problems });
  const address = isClear || read.kind === "wrong" ? "" : read.address;
  // Nothing is tried again: a person who confirms has just seen that the register does not answer.
  const tried = address === "" || form.get("anyway") === "yes" ? undefined : await tryOut(services, point, address);
  if (tried?.kind === "invalid") return wrong(context, { ...view, problems: addressProblem(say, services, tried.problem) });
  if (tried !== undefined && tried.kind !== "answers") {
    return { status: 422, markup: registerSection(say, { ...view, tried, mayForce: true }) };
  }
  const wanted = [{ name: "register", text: address, seen: view.seen.version }];
  const result = await services.change({ key: keyOf(point), actor: actorOf(session) }, point.id, wanted);
  if (result.kind === "refused")
    return wrong(context, { ...view, problems: addressProblem(say, services, result.problems[0]?.problem ?? "") });
  if (result.kind === "overtaken") {
    const [now = seenNow(undefined)] = result.settings;
    const typed = isClear || read.kind === "wrong" ? "" : read.shownAddress;
    const problems = new Map([["scheme", overtakenWords(say, "register", now.shown, typed)]]);
    // If the person did not change the whole address, its control gets the address that is stored now. With the old address, the next
    // submit would count the old address as typed and ignore the controls for the parts.
    const whole = read.whole === view.seen.shown ? now.shown : read.whole;
    return wrong(context, { ...view, seen: now, address: whole, problems });
  }
  const saved = await registerViewOf(services, context, point);
  const words = setUpWords(say, result.setUp) ?? savedWords(say);
  const section = registerSection(say, { ...saved, ...(tried === undefined ? {} : { tried }) }, words);
  return { status: 200, markup: html`${section}${await drawnWithout(services, context, point)}` };
}

/**
 * Makes a code for an agent. When the point of sale got the agent's register, the register form on the page is out of date, so it is
 * replaced too. Undefined: this server has no agents.
 */
export async function enrolAgentHere(
  services: SettingsPageServices,
  context: PageContext,
  point: NamedPoint,
  form: Form,
): Promise<Answered | undefined> {
  const enrolled = await enrolAgent(services, context, point, form);
  if (enrolled?.isChosen !== true) return enrolled;
  const register = registerSection(context.say, { ...(await registerViewOf(services, context, point)), beside: true });
  return { status: 200, markup: html`${enrolled.markup}${register}${await drawnWithout(services, context, point)}` };
}

/** Draws the parts of the page that still lack the new register. They are sent together with the act's own part. */
async function drawnWithout(services: SettingsPageServices, context: PageContext, point: NamedPoint): Promise<Markup> {
  const missing = missingPlace(context.say, await missingIn(services, context), context.mayChange, true);
  return html`${missing}${await operationsOf(services, context, point, { beside: true })}`;
}

function typedRegister({ parts, whole }: ReadAddress, form: Form): Pick<RegisterView, "parts" | "address" | "seen"> {
  return { parts, address: whole, seen: seenIn(form, "register") };
}

/** Returns the words beside the whole address, for a problem that no single control of the form can correct. */
function addressProblem(say: PageContext["say"], { registers }: SettingsPageServices, problem: string): RegisterView["problems"] {
  return new Map([["register", addressWords(say, registers, problem)]]);
}

/** Returns the stored register address of the point of sale, with hidden passwords. Empty: none is stored. */
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

/** Makes the register print its counters. */
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

/** Tells the platform again that the set-up is complete, unless something is missing. */
export async function activate(services: SettingsPageServices, context: PageContext): Promise<Markup> {
  const { say, session, mayChange } = context;
  const { appId, accountId } = session;
  const setUp = await services.finishSetUp({ appId, accountId }, session.name);
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
