import type { Entry } from "../../journal/entry.ts";
import type { EntryHead } from "../../journal/reading/head.ts";
import { isReadable } from "../../journal/reading/unreadable.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { doneInSteps } from "../../kernel/work/in-steps.ts";
import { html, type Markup } from "../html.ts";
import type { View } from "../layout.ts";
import { lightOf } from "../register-light.ts";
import { agentPart } from "./agents/agent-acts.ts";
import { auditSection } from "./audit-section.ts";
import type { PageContext } from "./context.ts";
import type { ShownDoubt } from "./doubt-section.ts";
import { operationsSection } from "./operations-section.ts";
import { acquirerView } from "./payments/acquirer-acts.ts";
import { acquirerSection } from "./payments/acquirer-section.ts";
import type { NamedPoint } from "./point.ts";
import { type RegisterView, registerSection } from "./register-section.ts";
import { seenNow } from "./seen-setting.ts";
import type { SettingsPageServices } from "./services.ts";
import { type Missing, missingPlace } from "./set-up-section.ts";
import { type SettingsView, settingsSection } from "./settings-section.ts";
import { stateSection } from "./state-section.ts";
import { storeView } from "./store-page.ts";
import { storesView } from "./stores-page.ts";

/** How many operations are shown: those of about an hour in a shop. */
const SHOWN_OPERATIONS = 20;
const SHOWN_AUDIT = 20;
/** How long a page waits for the register. The page must open within a second, with or without an answer. */
const LOOK_WAIT_MS = 600;
/** Replaces an unreadable zone. The settings form shows the problem. */
const ZONE = "Europe/Moscow";

/** How many registers of points of sale are read at once. An account may have a thousand points of sale. */
const POINTS_AT_ONCE = 50;

/** Returns what the installation still needs before it works. */
export async function missingIn(services: SettingsPageServices, { installation }: PageContext): Promise<Missing> {
  const { appId, accountId } = installation;
  const key = { appId, accountId };
  const { installations } = services;
  // Reads the installation again, because the current action may have completed the set-up.
  const [complete, keyProblem, now] = await Promise.all([services.isComplete(key), installations.keyProblem(key), installations.get(key)]);
  const untold = complete && now?.state === "settings_required";
  return { register: !complete, untold, ...(keyProblem === undefined ? {} : { keyProblem }) };
}

/** Reads and draws the points of sale of the account. `said`: the result of the last act. */
export async function storesPage(services: SettingsPageServices, context: PageContext, said?: Markup): Promise<View> {
  const { session, say, nowMs } = context;
  const { appId, accountId } = session;
  const { points, standing } = await services.points.list({ appId, accountId });
  const missing = await missingIn(services, context);
  const listed = await doneInSteps(points, POINTS_AT_ONCE, async (point) => {
    const place = { appId, accountId, storeId: point.id };
    const register = await services.desk.standing(place);
    const zone = await zoneOf(services, place);
    return { ...point, light: lightOf(say, { standing: register, concerns: concernsIn(services, register), nowMs, zone }) };
  });
  return storesView(context, { points: listed, standing }, missing, said);
}

/** Reads and draws one point of sale, or the settings of the whole account. */
export async function storePage(services: SettingsPageServices, context: PageContext, point: NamedPoint): Promise<View> {
  const { say, mayChange } = context;
  const zone = await zoneOf(services, point.place);
  const settings = settingsSection(say, await settingsViewOf(services, context, point));
  const audit = auditSection(say, await services.auditOf(context.session, point.id, SHOWN_AUDIT), zone);
  const acquirer = acquirerSection(say, await acquirerView(services, context, point));
  const parts = { storeId: point.id, settings, acquirer, audit, ...named(point) };
  if (point.isWhole) return storeView(context, parts);
  const missing = missingPlace(say, await missingIn(services, context), mayChange);
  const form = registerSection(say, await registerViewOf(services, context, point));
  const agent = (await agentPart(services, context, point))?.markup;
  const state = (await watchedState(services, context, point)).markup;
  const operations = await operationsOf(services, context, point);
  return storeView(context, { ...parts, missing, register: { form, state, operations, agent } });
}

function named({ name, address }: NamedPoint): { name?: string; address?: string } {
  return { ...(name === undefined ? {} : { name }), ...(address === undefined ? {} : { address }) };
}

/** Waits at most `LOOK_WAIT_MS` for a new answer of the register, then draws the state. Without a new answer it draws the last state. */
export async function watchedState(
  services: SettingsPageServices,
  { say }: PageContext,
  { id, place }: NamedPoint,
): Promise<{ markup: Markup; version: string }> {
  const { clock, desk } = services;
  await waitUntil(clock, deadlineIn(clock, LOOK_WAIT_MS), desk.look(place));
  const standing = await desk.standing(place);
  const zone = await zoneOf(services, place);
  return stateSection(say, id, { standing, concerns: concernsIn(services, standing), nowMs: clock.nowMs(), zone });
}

function concernsIn(services: SettingsPageServices, standing: Awaited<ReturnType<SettingsPageServices["desk"]["standing"]>>) {
  return standing.kind === "register" && standing.seen !== undefined ? services.concernsOf(standing.seen) : [];
}

/** Reads the data of the settings form. */
export async function settingsViewOf(
  services: SettingsPageServices,
  { mayChange }: PageContext,
  { id, place }: NamedPoint,
): Promise<SettingsView> {
  const { appId, accountId } = place;
  const stored = await services.settings.versions({ appId, accountId }, id);
  const inForce = { ...(await services.settings.of(appId, accountId, id)) };
  return { storeId: id, stored, inForce, problems: new Map(), mayChange };
}

/** Reads the data of the register's form: the stored values, or `typed` in their place. */
export async function registerViewOf(
  services: SettingsPageServices,
  { mayChange }: PageContext,
  { id, place }: NamedPoint,
  typed?: Pick<RegisterView, "parts" | "address" | "seen">,
): Promise<RegisterView> {
  const { appId, accountId } = place;
  const { registers, settings, desk } = services;
  const stored = (await settings.versions({ appId, accountId }, id)).find((row) => row.storeId === id && row.name === "register");
  const standing = stored === undefined ? await desk.standing(place) : undefined;
  const shown = stored?.shown ?? "";
  return {
    storeId: id,
    forms: registers.forms,
    parts: typed?.parts ?? registers.partsOf(shown) ?? {},
    address: typed?.address ?? shown,
    seen: typed?.seen ?? seenNow(stored),
    problems: new Map(),
    ports: (await registers.ports()) ?? [],
    mayChange,
    ...(stored === undefined ? {} : { stored }),
    ...(standing?.kind === "register" ? { standard: standing.address } : {}),
  };
}

export type OperationsServices = Pick<SettingsPageServices, "journal" | "explain" | "doubtWords"> & {
  settings: Pick<SettingsPageServices["settings"], "of">;
  desk: Pick<SettingsPageServices["desk"], "standing">;
};

/**
 * Reads and draws the last operations of a point of sale. `beside`: the section is sent together with another part. `settling`: the refused
 * form of a doubt, which is shown again as typed.
 */
export async function operationsOf(
  services: OperationsServices,
  { say, session, mayChange }: PageContext,
  { id, place }: Pick<NamedPoint, "id" | "place">,
  { said, beside = false, settling }: { said?: Markup; beside?: boolean; settling?: Settling } = {},
): Promise<Markup> {
  const { journal, desk } = services;
  const { appId, accountId } = session;
  const listed = await journal.heads.list({ appId, accountId, storeId: id, limit: SHOWN_OPERATIONS });
  const newest = listed.filter(isReadable);
  const standing = await desk.standing(place);
  const hasRegister = standing.kind === "register";
  const doubt = hasRegister && standing.doubt !== undefined && isOfPoint(standing.doubt, place) ? standing.doubt : undefined;
  // The register waits for this doubt. Newer refusals may have pushed the doubt off the list, so the doubt is added.
  const entries = doubt === undefined || newest.some((entry) => entry.id === doubt.id) ? newest : [doubt, ...newest];
  const doubts = await doubtsIn(services, entries, mayChange, settling);
  return operationsSection(
    say,
    {
      storeId: id,
      entries,
      unreadable: listed.length - newest.length,
      doubts,
      zone: await zoneOf(services, place),
      mayChange,
      hasRegister,
      beside,
    },
    said,
  );
}

export function isOfPoint(head: Pick<EntryHead, "key" | "storeId">, { appId, accountId, storeId }: NamedPoint["place"]): boolean {
  const { key } = head;
  return key.appId === appId && key.accountId === accountId && head.storeId === storeId;
}

interface Settling {
  entryId: number;
  typed: NonNullable<ShownDoubt["typed"]>;
}

/** Returns the doubts among these entries. The oldest must be settled first, because it stops the register. */
async function doubtsIn(
  services: OperationsServices,
  entries: readonly EntryHead[],
  mayChange: boolean,
  settling: Settling | undefined,
): Promise<ReadonlyMap<number, ShownDoubt>> {
  const inDoubt = entries.filter(({ state }) => state === "in-doubt").toSorted((one, other) => one.id - other.id);
  const shown = async (head: EntryHead): Promise<[number, ShownDoubt][]> => {
    const entry = await services.journal.get(head.id);
    if (entry === undefined) return [];
    const explanation = await services.explain(entry);
    const why = entry.doubt === undefined ? "" : services.doubtWords(entry.doubt);
    const maySettle = mayChange && entry.id === inDoubt[0]?.id && explanation.waiting?.owner === "person";
    return [[entry.id, { entry, explanation, why, maySettle, ...(settling?.entryId === entry.id ? { typed: settling.typed } : {}) }]];
  };
  return new Map((await doneInSteps(inDoubt, 1, shown)).flat());
}

/** Returns a registered entry of the session's account. `kind`: the operation, when several share an id. Undefined: no such entry. */
export async function madeEntry(
  { journal }: { journal: Pick<SettingsPageServices["journal"], "list"> },
  { session }: PageContext,
  documentId: string,
  kind: string | undefined,
): Promise<Entry | undefined> {
  const { appId, accountId } = session;
  const found = await journal.list({ appId, accountId, documentId, limit: SHOWN_OPERATIONS });
  return found.find(({ key, facts }) => facts !== undefined && (kind === undefined || key.operation === kind));
}

async function zoneOf({ settings }: Pick<OperationsServices, "settings">, place: NamedPoint["place"]): Promise<string> {
  const { appId, accountId, storeId } = place;
  return (await settings.of(appId, accountId, storeId)).timeZone || ZONE;
}

/** Draws the page before its session begins. Its script asks the host for the user, then loads the content. */
export function waitingView(say: PageContext["say"]): View {
  const title = say("Настройки касс", "Settings of the registers");
  const content = html`<div class="head"><h1>${title}</h1></div><p class="soft" id="waiting">${say(
    "Узнаём у платформы, кто вы…",
    "Asking the platform who you are…",
  )}</p><noscript><p class="panel red">${say("Включите JavaScript: без него платформа не скажет, кто вы.", "Switch JavaScript on: the platform needs it to tell who you are.")}</p></noscript>`;
  return { page: "home", title, content };
}
