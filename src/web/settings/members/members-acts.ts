import { WHOLE_ACCOUNT } from "../../../accounts/settings.ts";
import { reasonIn, told } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { View } from "../../layout.ts";
import { erasedMeanwhileWords, isRepeated } from "../../words/member-words.ts";
import type { PageContext } from "../context.ts";
import type { MembersPart } from "../members-part.ts";
import type { SettingsPageServices } from "../services.ts";
import { type GrantForm, type MemberParts, MOST_ROWS, memberPart, membersView, memberView, pointsWords } from "./members-pages.ts";

/** The maximum number of rows of the list. To see other members, a person searches by a word of the name, the phone or the card. */
const SHOWN_MEMBERS = 50;
/** The most points of one grant: far above any real grant, and far below the bound of the database column. */
const MAX_POINTS = 1_000_000;

type Form = ReadonlyMap<string, string>;
type MemberServices = {
  members: Pick<MembersPart, "find" | "story" | "personOf">;
  settings: Pick<SettingsPageServices["settings"], "of">;
};

export async function membersPage(services: SettingsPageServices, context: PageContext, search: string): Promise<View> {
  const { appId, accountId } = context.session;
  const text = search.trim();
  const listing = await services.members.list({ appId, accountId }, { limit: SHOWN_MEMBERS, ...(text === "" ? {} : { text }) });
  const { loyalty } = await services.settings.of(appId, accountId, WHOLE_ACCOUNT);
  return membersView(context, listing, text, loyalty === "on");
}

export async function memberPage(services: MemberServices, context: PageContext, id: string): Promise<View | undefined> {
  const parts = await memberParts(services, context, id);
  return parts === undefined ? undefined : memberView(context, parts);
}

/**
 * Books points once, even after repeated clicks: a page that does not show the newest entry books nothing. Undefined: the account has no
 * such member.
 */
export async function grant(
  services: MemberServices & { members: Pick<MembersPart, "grant"> },
  context: PageContext,
  id: string,
  form: Form,
): Promise<{ status: 200 | 422; markup: Markup } | undefined> {
  const { say, session } = context;
  const before = await memberParts(services, context, id);
  if (before === undefined) return undefined;
  const erased = (parts: MemberParts) =>
    ({ status: 422, markup: memberPart(context, parts, undefined, told("error", erasedMeanwhileWords(say))) }) as const;
  if (before.person === undefined) return erased(before);
  const typed = { points: form.get("points")?.trim() ?? "", reason: reasonIn(form) };
  const problems = new Map<string, Content>();
  const points = /^[+-]?\d{1,7}$/.test(typed.points) ? Number(typed.points) : 0;
  if (points === 0 || Math.abs(points) > MAX_POINTS)
    problems.set("points", say("Введите целое число, например 100 или -50.", "A whole number, such as 100 or -50."));
  if (typed.reason === "") problems.set("reason", say("Напишите причину.", "Write the reason."));
  if (problems.size > 0) return wrong(context, before, { ...typed, problems });
  const { appId, accountId } = session;
  const order = { points, reason: typed.reason, seenEntry: Number(form.get("seen.entry")) };
  const granted = await services.members.grant({ key: { appId, accountId }, actor: session.name }, before.story.row, order);
  const after = await memberParts(services, context, id);
  if (after === undefined) return undefined;
  if (granted.kind === "granted") {
    const words = say(
      `Записано. На счёте ${pointsWords(say, granted.balancePoints)}`,
      `Booked. The balance is ${pointsWords(say, granted.balancePoints)}`,
    );
    return { status: 200, markup: memberPart(context, after, undefined, told("done", words)) };
  }
  const { because } = granted;
  if (because.code === "booked-meanwhile" && isRepeated(after.story, { ...order, actor: session.name }))
    return {
      status: 200,
      markup: memberPart(context, after, undefined, told("done", say("Это уже записано", "This was booked already"))),
    };
  if (because.code === "booked-meanwhile") {
    const words = say(
      "Пока вы писали, счёт изменился, ничего не записано. Проверьте историю и запишите ещё раз.",
      "The account has changed meanwhile, nothing was booked. Look at the history and book it again.",
    );
    return wrong(context, after, { ...typed, problems: new Map([["points", words]]) });
  }
  if (because.code === "erased") return erased(after);
  const words = say(`Снять можно не больше ${because.balancePoints}.`, `At most ${because.balancePoints} can be deducted.`);
  return wrong(context, after, { ...typed, problems: new Map([["points", words]]) });
}

function wrong(context: PageContext, parts: MemberParts, form: GrantForm): { status: 422; markup: Markup } {
  return { status: 422, markup: memberPart(context, parts, form) };
}

/** Erases the member's personal data and returns the list. Undefined: the account has no such member. */
export async function erase(services: SettingsPageServices, context: PageContext, id: string): Promise<Markup | undefined> {
  const parts = await memberParts(services, context, id);
  if (parts === undefined) return undefined;
  const { appId, accountId, name } = context.session;
  await services.members.erase({ appId, accountId }, parts.story.row.id, { name, place: "page" });
  const { page, title, content } = await membersPage(services, context, "");
  return html`<div class="view" data-view="${page}" data-title="${title}">${told("done", context.say("Данные участника стёрты", "The member's data was erased"))}${content}</div>`;
}

async function memberParts({ members, settings }: MemberServices, { session }: PageContext, id: string): Promise<MemberParts | undefined> {
  const { appId, accountId } = session;
  const found = await members.find({ appId, accountId }, id);
  if (found.kind === "none") return undefined;
  const story = await members.story({ appId, accountId }, found.row, { newest: MOST_ROWS });
  const person = members.personOf(found.row);
  const { timeZone } = await settings.of(appId, accountId, WHOLE_ACCOUNT);
  return { story, zone: timeZone, ...(person === undefined ? {} : { person }) };
}
