import { facts } from "../fields.ts";
import { drawnInSteps, html, type Markup } from "../html.ts";
import { shownAddress } from "../register-address.ts";
import { type Light, lightOf } from "../register-light.ts";
import { concernWords } from "../words/register-words.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { type LeaveOutForm, leaveOutForm } from "./leave-out-form.ts";
import { noticeMarkup } from "./notice.ts";
import { type Place, type PlaceNames, storeLink } from "./places.ts";
import { reserveFacts } from "./reserve-words.ts";
import type { ConsoleServices, WatchedRegister } from "./services.ts";

/** Draws every register with its state as a colour, and the reason. `just`: the result of an act, or a refused form. */
export async function registersPage(
  services: Pick<ConsoleServices, "registers" | "namesOf">,
  context: ConsoleContext,
  just: { said?: string; form?: LeaveOutForm } = {},
): Promise<ConsoleView> {
  const registers = await services.registers();
  const names = await services.namesOf(usersOf(registers));
  const { say } = context;
  const title = say("Кассы", "Registers");
  const drawn = await drawnInSteps(registers, (register) => {
    const light = lightFor(context, register);
    return { place: ORDER.indexOf(light.light), card: registerCard(context, register, light, { names, form: just.form }) };
  });
  const cards = drawn.toSorted((one, other) => one.place - other.place).map(({ card }) => card);
  const content = html`<div class="head"><h1>${title}</h1><p class="soft">${say(
    "Кассы, с которыми сервер говорил после запуска.",
    "The registers that the server has spoken to since its start.",
  )}</p></div>
${noticeMarkup(just.said)}
${
  cards.length === 0
    ? html`<p class="card soft">${say("Ни одна касса ещё не работала.", "No register has worked yet.")}</p>`
    : html`<div class="grid">${cards}</div>`
}`;
  return { page: "registers", title, content };
}

/** Returns the points of sale that use these registers. */
export function usersOf(registers: readonly WatchedRegister[]): Place[] {
  return registers.flatMap(({ usedBy }) => (usedBy === undefined ? [] : [usedBy]));
}

/** Registers that need a person come first. */
const ORDER: readonly Light["light"][] = ["red", "amber", "grey", "green"];

/** Returns the state of a register as one colour, with its reason. */
export function lightFor({ say, nowMs, zone }: ConsoleContext, { address, seen, concerns, busy, waiting, doubt }: WatchedRegister): Light {
  const standing = {
    kind: "register" as const,
    address,
    busy,
    waiting,
    ...(seen === undefined ? {} : { seen }),
    ...(doubt === undefined ? {} : { doubt }),
  };
  const light = lightOf(say, { standing, concerns, nowMs, zone });
  if (doubt === undefined) return light;
  const todo = say(
    "Касса ждёт решения, и на ней ничего не пробивается.",
    "The register waits for a decision, and nothing is registered at it.",
  );
  return { ...light, todo };
}

function registerCard(
  context: ConsoleContext,
  { address, seen, waiting, doubt, concerns, reserves, usedBy, unread }: WatchedRegister,
  { light, words, todo }: Light,
  { names, form }: { names: PlaceNames; form: LeaveOutForm | undefined },
): Markup {
  const { say } = context;
  const state = seen?.state?.value;
  const identity = seen?.identity?.value;
  const more = concerns.map((one) => concernWords(say, one)).filter(({ what }) => what !== words);
  return html`<section class="card" data-register="${address}"><h2><span class="light" data-light="${light}">${words}</span></h2>
${todo === undefined ? undefined : html`<p>${todo}</p>`}
${doubt === undefined ? undefined : html`<p><a href="/console/operations/${doubt.id}">${say("Решить", "Settle it")}</a></p>`}
${more.map((one) => html`<p class="panel amber"><strong>${one.what}</strong> <span class="ink">${one.todo}</span></p>`)}
${facts([
  [say("Точка продаж", "Point of sale"), usedBy === undefined ? undefined : storeLink("/console/operations", names, usedBy)],
  [say("Аккаунт", "Account"), usedBy === undefined ? undefined : names.accountName(usedBy)],
  [say("Адрес", "Address"), shownAddress(address)],
  [say("Заводской номер", "Serial number"), identity?.serialNumber],
  [say("Накопитель", "Drive"), identity?.driveNumber],
  [say("Последний документ", "Last document"), state?.lastDocumentNumber],
  [say("Смена", "Shift"), state === undefined ? undefined : shiftText(say, state.shift)],
  ...reserveFacts(say, reserves),
  [say("Ждут очереди", "Operations waiting"), waiting === 0 ? undefined : waiting],
])}${identity === undefined ? undefined : leaveOutForm(context, { drive: identity.driveNumber, unread, form })}</section>`;
}

function shiftText(say: ConsoleContext["say"], shift: { kind: "open" | "closed"; expired?: boolean; number?: number }): string {
  if (shift.kind === "closed") return say("закрыта", "closed");
  return shift.expired ? say("открыта больше 24 часов", "open for more than 24 hours") : say("открыта", "open");
}
