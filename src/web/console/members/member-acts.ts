import { reasonIn } from "../../fields.ts";
import { erasedMeanwhileWords, isRepeated } from "../../words/member-words.ts";
import type { Acted } from "../acts.ts";
import type { ConsoleContext } from "../layout.ts";
import { accountText } from "../places.ts";
import type { ConsoleServices } from "../services.ts";
import { type MemberForm, type MemberParts, MOST_ROWS, memberPage } from "./member-page.ts";

type Services = Pick<ConsoleServices, "members" | "namesOf">;
type Form = ReadonlyMap<string, string>;

/** The most points of one grant: far above any real grant, and far below the bound of the database column. */
const MAX_POINTS = 1_000_000;

/** Returns the member with its page data. Undefined: no account has this member. */
export async function memberParts({ members, namesOf }: Services, id: string): Promise<MemberParts | undefined> {
  const found = await members.anywhere(id);
  if (found === undefined) return undefined;
  const { key, row } = found;
  const person = members.personOf(row);
  const [story, names] = await Promise.all([members.story(key, row, { newest: MOST_ROWS }), namesOf([key])]);
  return { key, accountName: accountText(names, key), story, ...(person === undefined ? {} : { person }) };
}

/** Books points once, however often a person clicks. A form older than the member's newest entry books nothing. */
export async function grantAct(services: Services, context: ConsoleContext, parts: MemberParts, typed: Form): Promise<Acted> {
  const { say, session } = context;
  // The page of an erased member has no form, so the words cannot stand beside a control.
  const erased = (): Acted => ({ status: 409, view: memberPage(context, parts, { trouble: erasedMeanwhileWords(say) }) });
  if (parts.person === undefined) return erased();
  const again = wrongForm(services, context, parts, { act: "grant", typed });
  const text = typed.get("points")?.trim() ?? "";
  const points = /^[+-]?\d{1,7}$/.test(text) ? Number(text) : 0;
  if (points === 0 || Math.abs(points) > MAX_POINTS)
    return again(422, { field: "points", words: say("Введите целое число, например 100 или -50.", "A whole number, such as 100 or -50.") });
  const reason = reasonIn(typed);
  if (reason === "") return again(422, { field: "reason", words: say("Напишите причину.", "Write the reason.") });
  const order = { points, reason, seenEntry: Number(typed.get("seen")) };
  const { key, story } = parts;
  const granted = await services.members.grant({ key, actor: session.login, place: "page" }, story.row, order);
  if (granted.kind === "refused" && granted.because.code !== "booked-meanwhile") {
    const { because } = granted;
    if (because.code === "erased") return erased();
    const words = say(`Снять можно не больше ${because.balancePoints}.`, `At most ${because.balancePoints} can be deducted.`);
    return again(409, { field: "points", words });
  }
  const after = (await memberParts(services, story.row.id)) ?? parts;
  if (granted.kind === "refused" && !isRepeated(after.story, { ...order, actor: session.login })) {
    const words = say(
      "Пока вы писали, счёт изменился, ничего не записано. Проверьте историю и запишите ещё раз.",
      "The account has changed meanwhile, nothing was booked. Look at the history and book it again.",
    );
    return again(409, { field: "points", words });
  }
  const said =
    granted.kind === "granted"
      ? say(`Записано. На счёте ${granted.balancePoints}.`, `Booked. The balance is ${granted.balancePoints}.`)
      : say("Это уже записано, второй раз не записано.", "This was booked already, and not a second time.");
  return { status: granted.kind === "granted" ? 200 : 409, view: memberPage(context, after, { said }) };
}

/** Erases the personal data of a member. */
export async function eraseAct(services: Services, context: ConsoleContext, parts: MemberParts, typed: Form): Promise<Acted> {
  const { say, session } = context;
  const again = wrongForm(services, context, parts, { act: "erase", typed });
  const reason = reasonIn(typed);
  if (reason === "") return again(422, { field: "reason", words: say("Напишите причину.", "Write the reason.") });
  if (!typed.has("sure")) return again(422, { field: "sure", words: say("Отметьте, что уверены.", "Say that you are sure.") });
  const { key, story } = parts;
  const erased = await services.members.erase(key, story.row.id, { name: session.login, place: "page" }, reason);
  const after = (await memberParts(services, story.row.id)) ?? parts;
  const said = erased ? say("Данные участника стёрты.", "The member's data was erased.") : say("Уже стёрты.", "It was erased before.");
  return { status: 200, view: memberPage(context, after, { said }) };
}

function wrongForm(services: Services, context: ConsoleContext, parts: MemberParts, form: Omit<MemberForm, "problem">) {
  return async (status: 409 | 422, problem: MemberForm["problem"]): Promise<Acted> => ({
    status,
    view: memberPage(context, (await memberParts(services, parts.story.row.id)) ?? parts, { form: { ...form, problem } }),
  });
}
