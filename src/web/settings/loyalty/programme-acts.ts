import { WHOLE_ACCOUNT } from "../../../accounts/settings.ts";
import { MAX_POINTS } from "../../../loyalty/programme/bounds.ts";
import type { Contradiction } from "../../../loyalty/programme/read-programme.ts";
import { lineKopecks } from "../../../loyalty/quote/line.ts";
import type { Sample } from "../../../operator/loyalty/preview-programme.ts";
import { wholeKopecks } from "../../amounts.ts";
import { told } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { View } from "../../layout.ts";
import type { Answered } from "../acts.ts";
import type { PageContext } from "../context.ts";
import type { SettingsPageServices } from "../services.ts";
import { loyaltyOff, loyaltySwitch } from "./loyalty-switch.ts";
import type { ProgrammeView } from "./programme-controls.ts";
import { PROGRAMME_LISTS } from "./programme-fields.ts";
import { controlAt, fileIn, itemsIn, type Typed, typedOf, withItem, withoutItem } from "./programme-form.ts";
import { programmePage, programmeSection } from "./programme-page.ts";
import { contradictionWords, fileTrouble, notTaken, overtakenPanel } from "./programme-words.ts";
import { SAMPLE_DEFAULTS, SAMPLE_LINES } from "./sample-section.ts";

type Form = ReadonlyMap<string, string>;
type Services = SettingsPageServices;

export async function loyaltyPage(services: Services, context: PageContext): Promise<View> {
  const { appId, accountId } = context.session;
  const { loyalty } = await services.settings.of(appId, accountId, WHOLE_ACCOUNT);
  return programmePage(context, await storedView(services, context), loyalty === "on");
}

/** Stores the typed programme, unless the stored programme has changed since the person saw it. */
export async function saveProgramme(services: Services, context: PageContext, form: Form): Promise<Answered> {
  const { say, session } = context;
  const { appId, accountId } = session;
  const view = await typedView(services, context, form);
  const read = fileIn(view.typed);
  if (read.kind === "wrong") return wrong(context, view, read.names);
  const acting = { key: { appId, accountId }, actor: session.name };
  const set = await services.programme.replace(acting, read.text, view.version);
  if (set.kind === "refused") return refused(context, view, set);
  if (set.kind === "overtaken") {
    const { version, file } = await services.programme.current({ appId, accountId });
    const trouble = overtakenPanel(say, version, { now: typedOf(file), typed: view.typed });
    const words = told("error", say("Программу тем временем изменил кто-то другой.", "Somebody else has changed the programme meanwhile."));
    return { status: 422, markup: await programmeSection(context, { ...view, version, trouble }, words) };
  }
  const untold = set.told.kind === "failed" || set.told.kind === "no-address";
  const words = untold
    ? told(
        "error",
        say(
          "Сохранено, но платформа об этом ещё не знает: сервер сообщит ей сам.",
          "Saved, but the platform does not know yet: the server goes on telling it.",
        ),
      )
    : told("done", say("Программа сохранена", "The programme is saved"));
  return { status: 200, markup: await programmeSection(context, await storedView(services, context), words) };
}

/** Redraws the form with the typed values and one item added or removed. Stores nothing. */
export async function changedForm(services: Services, context: PageContext, form: Form, query: Form): Promise<Answered> {
  const { say } = context;
  const view = await typedView(services, context, form);
  const added = PROGRAMME_LISTS.find(({ name }) => name === query.get("add"));
  if (added !== undefined) {
    const index = itemsIn(view.typed, added);
    const typed = withItem(view.typed, added, { tier: say("Уровень", "Tier"), rule: say("Правило", "Rule") });
    return { status: 200, markup: await programmeSection(context, { ...view, typed, added: { list: added.name, index } }) };
  }
  const [removed = "", index = ""] = query.get("remove")?.split(".") ?? [];
  const list = PROGRAMME_LISTS.find(({ name }) => name === removed);
  const typed = list === undefined ? view.typed : withoutItem(view.typed, list, Number(index));
  return { status: 200, markup: await programmeSection(context, { ...view, typed }) };
}

/** Quotes the sample by the typed programme. Stores nothing. */
export async function previewSample(services: Services, context: PageContext, form: Form): Promise<Answered> {
  const { say, session } = context;
  const { appId, accountId } = session;
  const view = await typedView(services, context, form);
  const read = fileIn(view.typed);
  if (read.kind === "wrong") return wrong(context, view, read.names);
  const sample = sampleIn(context, view.typed);
  if (sample.kind === "wrong") return { status: 422, markup: await programmeSection(context, { ...view, problems: sample.problems }) };
  const previewed = await services.programme.preview({ appId, accountId }, read.text, sample.sample);
  if (previewed.kind === "refused") return refused(context, view, previewed);
  const totalKopecks = sample.sample.lines.reduce((sum, line) => sum + lineKopecks(line.priceKopecks, line.quantityMillionths), 0);
  const words = told("done", say("Посчитано, ничего не сохранено", "Counted, nothing was stored"));
  return { status: 200, markup: await programmeSection(context, { ...view, result: { quote: previewed.quote, totalKopecks } }, words) };
}

/** Turns the programme on or off for the account's tills. A programme that is off stays stored. */
export async function switchLoyalty(services: Services, { session, say }: PageContext, to: "on" | "off"): Promise<Markup> {
  const { appId, accountId, name } = session;
  const by = { key: { appId, accountId }, actor: { name, place: "page" } } as const;
  const result = await services.change(by, WHOLE_ACCOUNT, [{ name: "loyalty", text: to }]);
  if (to === "off") return html`${loyaltyOff(say, true)}${told("done", say("Программа лояльности выключена", "The programme is off"))}`;
  const untold = result.kind === "changed" && (result.loyalty?.kind === "failed" || result.loyalty?.kind === "no-address");
  const words = untold
    ? told(
        "error",
        say(
          "Включено, но платформа ещё не подключила кассы: сервер сообщит ей сам.",
          "It is on, but the platform has not connected the tills yet: the server goes on telling it.",
        ),
      )
    : told("done", say("Программа лояльности включена", "The programme is on"));
  return html`${loyaltySwitch(say, true, true)}${words}`;
}

async function storedView(services: Services, context: PageContext): Promise<ProgrammeView> {
  const { appId, accountId } = context.session;
  const { version, file } = await services.programme.current({ appId, accountId });
  const typed = typedOf(file);
  for (const [name, value] of SAMPLE_DEFAULTS) typed.set(name, value);
  return { version, typed, problems: new Map(), points: await pointsOf(services, context) };
}

async function typedView(services: Services, context: PageContext, form: Form): Promise<ProgrammeView> {
  const version = Number(form.get("seen.version") ?? 0);
  return { version, typed: form, problems: new Map(), points: await pointsOf(services, context) };
}

async function pointsOf({ points }: Services, { session: { appId, accountId } }: PageContext): Promise<ProgrammeView["points"]> {
  return (await points.list({ appId, accountId })).points;
}

async function wrong(context: PageContext, view: ProgrammeView, names: readonly string[]): Promise<Answered> {
  return { status: 422, markup: await programmeSection(context, { ...view, problems: notTaken(context.say, view.typed, names) }) };
}

/** Shows the words at the control with the refused value, or above the form when no control matches. */
async function refused(
  context: PageContext,
  view: ProgrammeView,
  { place, reason, contradiction }: { place: string; reason: string; contradiction?: Contradiction },
): Promise<Answered> {
  const { say } = context;
  const name = controlAt(view.typed, place);
  if (name === undefined)
    return { status: 422, markup: await programmeSection(context, { ...view, trouble: fileTrouble(say, place, reason) }) };
  const problems =
    contradiction === undefined ? notTaken(say, view.typed, [name]) : new Map([[name, contradictionWords(say, contradiction)]]);
  return { status: 422, markup: await programmeSection(context, { ...view, problems }) };
}

type ReadSample = { kind: "sample"; sample: Sample } | { kind: "wrong"; problems: ReadonlyMap<string, Content> };

/** The largest quantity of one line of the sample, in pieces or kilograms. */
const MAX_SAMPLE_QUANTITY = 100_000;
const MAX_SAMPLE_KOPECKS = 100_000_000_00;

function sampleIn({ say }: PageContext, typed: Typed): ReadSample {
  const problems = new Map<string, Content>();
  const at = (name: string) => typed.get(`sample.${name}`)?.trim() ?? "";
  const points = /^\d{1,10}$/.test(at("points")) ? Number(at("points")) : Number.NaN;
  if (!(points <= MAX_POINTS)) problems.set("sample.points", say("Целое число от 0.", "A whole number from 0."));
  const lines = Array.from({ length: SAMPLE_LINES }, (_, index) => {
    const part = (name: string) => at(`lines.${index}.${name}`);
    if (part("price") === "" && part("goods") === "") return undefined;
    const priceKopecks = wholeKopecks(part("price"));
    const isPrice = priceKopecks !== undefined && priceKopecks <= MAX_SAMPLE_KOPECKS;
    if (!isPrice) problems.set(`sample.lines.${index}.price`, say("Сумма в рублях, например 499,90.", "Roubles, such as 499.90."));
    const quantity = part("quantity") === "" ? "1" : part("quantity").replace(",", ".");
    const quantityMillionths = /^\d{1,6}(\.\d{1,3})?$/.test(quantity) ? Math.round(Number(quantity) * 1_000_000) : 0;
    const isQuantity = quantityMillionths > 0 && quantityMillionths <= MAX_SAMPLE_QUANTITY * 1_000_000;
    if (!isQuantity)
      problems.set(`sample.lines.${index}.quantity`, say("Больше нуля, например 2 или 0,5.", "Above zero, such as 2 or 0.5."));
    return { goodsId: part("goods"), quantityMillionths, priceKopecks: priceKopecks ?? 0 };
  }).filter((line) => line !== undefined);
  if (lines.length === 0) problems.set("sample.lines.0.price", say("Введите хотя бы одну строку.", "Type one line at least."));
  if (problems.size > 0) return { kind: "wrong", problems };
  const tier = at("tier") === "" ? null : at("tier");
  const member = { points, tier, hasBought: at("hasBought") === "yes", hasBirthday: at("hasBirthday") === "yes" };
  const transactionType = at("spend") === "SPENDING" ? "SPENDING" : "EARNING";
  return { kind: "sample", sample: { storeId: at("store"), lines, member, transactionType } };
}
