import { told } from "../../fields.ts";
import type { Content, Markup } from "../../html.ts";
import type { PageContext } from "../context.ts";
import type { NamedPoint } from "../point.ts";
import { seenIn, seenNow } from "../seen-setting.ts";
import type { SettingsPageServices } from "../services.ts";
import { overtakenWords } from "../settings-section.ts";
import { ACQUIRER_PREFIX, type AcquirerView, acquirerSection } from "./acquirer-section.ts";

type Form = ReadonlyMap<string, string>;

/** Replaces a stored secret on the page. If it comes back unchanged, the stored secret stays. */
const HIDDEN = "***";

/** Returns the form with the stored values, or with `typed` in their place. */
export async function acquirerView(
  services: SettingsPageServices,
  { mayChange }: PageContext,
  { id, place }: NamedPoint,
  typed?: Pick<AcquirerView, "kind" | "parts" | "seen">,
): Promise<AcquirerView> {
  const { settings, payments } = services;
  const { appId, accountId } = place;
  const stored = (await settings.versions(place, id)).find((row) => row.storeId === id && row.name === "acquirer");
  const inForce = (await settings.of(appId, accountId, id)).acquirer?.split("?", 1)[0];
  const isBank = inForce !== undefined && inForce !== "none";
  const notifications = isBank ? await payments.notificationAddress({ appId, accountId }, inForce) : undefined;
  return {
    storeId: id,
    acquirers: payments.acquirers,
    ...(typed ?? { ...settingIn(stored?.shown ?? ""), seen: seenNow(stored) }),
    problems: new Map(),
    mayChange,
    ...(stored === undefined && isBank ? { standard: inForce } : {}),
    ...(notifications === undefined ? {} : { notifications }),
  };
}

/** Draws the form for another acquirer with the typed values. `typed` comes from a form, because no address may contain a secret. */
export async function acquirerForm(
  services: SettingsPageServices,
  context: PageContext,
  point: NamedPoint,
  typed: Form,
): Promise<{ status: 200; markup: Markup }> {
  const view = await acquirerView(services, context, point, { ...typedIn(typed), seen: seenIn(typed, "acquirer") });
  return { status: 200, markup: acquirerSection(context.say, view) };
}

/** Saves the acquirer of a point of sale. Asks no bank: the command `doctor` and the first payment do. */
export async function saveAcquirer(
  services: SettingsPageServices,
  context: PageContext,
  point: NamedPoint,
  form: Form,
): Promise<{ status: 200 | 422; markup: Markup }> {
  const { say, session } = context;
  const typed = typedIn(form);
  const seen = seenIn(form, "acquirer");
  const view = await acquirerView(services, context, point, { ...shownOf(services, typed), seen });
  const problems = problemsIn(context, services, typed);
  if (problems.size > 0) return { status: 422, markup: acquirerSection(say, { ...view, problems }) };
  const text = textOf(services, typed);
  const wanted = [{ name: "acquirer", text, seen: seen.version }];
  const { appId, accountId } = point.place;
  const result = await services.change({ key: { appId, accountId }, actor: { name: session.name, place: "page" } }, point.id, wanted);
  if (result.kind === "changed") {
    const saved = await acquirerView(services, context, point);
    return { status: 200, markup: acquirerSection(say, saved, told("done", say("Банк сохранён", "The acquirer is saved"))) };
  }
  if (result.kind === "refused")
    return { status: 422, markup: acquirerSection(say, { ...view, problems: new Map([["kind", notTaken(say)]]) }) };
  const [now = seenNow(undefined)] = result.settings;
  const words = overtakenWords(say, "acquirer", now.shown, view.kind);
  return { status: 422, markup: acquirerSection(say, { ...view, seen: now, problems: new Map([["kind", words]]) }) };
}

type Typed = Pick<AcquirerView, "kind" | "parts">;

/** Returns the typed values. An empty secret means the stored secret of the same acquirer. */
function typedIn(form: Form): Typed {
  const parts: Record<string, string> = {};
  for (const [name, value] of form) if (name.startsWith(ACQUIRER_PREFIX)) parts[name.slice(ACQUIRER_PREFIX.length)] = value.trim();
  const { kind = "", ...fields } = parts;
  const stored = settingIn(form.get("shown.acquirer") ?? "");
  if (stored.kind === kind) {
    for (const [name, value] of Object.entries(stored.parts)) if (value === HIDDEN && (fields[name] ?? "") === "") fields[name] = HIDDEN;
  }
  return { kind, parts: fields };
}

function shownOf({ payments }: SettingsPageServices, { kind, parts }: Typed): Typed {
  const fields = payments.acquirers.find(({ name }) => name === kind)?.fields ?? [];
  const isSecret = (part: string) => fields.some(({ name, secret }) => name === part && secret);
  return {
    kind,
    parts: Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, isSecret(name) && value !== "" ? HIDDEN : value])),
  };
}

function problemsIn({ say }: PageContext, services: SettingsPageServices, typed: Typed): Map<string, Content> {
  const fields = services.payments.acquirers.find(({ name }) => name === typed.kind)?.fields ?? [];
  const missing = fields.filter(({ name, required }) => required && (typed.parts[name] ?? "") === "");
  const problems = new Map<string, Content>(
    missing.map(({ name }) => [name, say("Заполните: это есть в личном кабинете банка.", "Fill in: the acquirer's cabinet has it.")]),
  );
  if (problems.size > 0 || typed.kind === "" || typed.kind === "none") return problems;
  const problem = services.payments.problemOf(textOf(services, typed));
  for (const name of problem?.parts ?? [])
    problems.set(
      name,
      say(
        "Банк такого не выдаёт. Скопируйте из личного кабинета банка ещё раз.",
        "The acquirer gives no such value. Copy it from the cabinet again.",
      ),
    );
  if (problem !== undefined && problems.size === 0) problems.set("kind", notTaken(say));
  return problems;
}

/** Returns the words for a setting with no single wrong part. */
function notTaken(say: PageContext["say"]): string {
  return say(
    "Такие данные не подходят. Выберите банк и заполните поля заново.",
    "These values cannot be used. Choose the acquirer and fill in the fields again.",
  );
}

/** Returns the setting, such as `tbank?terminalKey=…&password=…`. Values are URL-encoded, so a secret may contain any character. */
function textOf({ payments }: SettingsPageServices, { kind, parts }: Typed): string {
  const fields = payments.acquirers.find(({ name }) => name === kind)?.fields ?? [];
  const filled = fields.filter(({ name }) => (parts[name] ?? "") !== "");
  const written = filled.map(({ name }) => `${name}=${parts[name] === HIDDEN ? HIDDEN : encodeURIComponent(parts[name] ?? "")}`);
  return written.length === 0 ? kind : `${kind}?${written.join("&")}`;
}

function settingIn(shown: string): Typed {
  const [kind = "", query = ""] = shown.split("?", 2);
  const parts = query.split("&").map((part): [string, string] => [part.split("=", 1)[0] ?? "", decoded(part.slice(part.indexOf("=") + 1))]);
  return { kind, parts: Object.fromEntries(parts.filter(([name]) => name !== "")) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A setting from the command line may contain a percent sign without an escape. Such a part is shown unchanged.
    if (error instanceof URIError) return text;
    throw error;
  }
}
