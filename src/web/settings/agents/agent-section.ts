import { createHash } from "node:crypto";
import type { ShownAgent, ShownRegister } from "../../../agents/agent.ts";
import { agentLight, deviceLines, enrolCommand } from "../../agents/agent-words.ts";
import type { MadeCode } from "../../agents/agents-part.ts";
import { dayAndHourAt } from "../../amounts.ts";
import { facts, field } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";

export interface AgentView {
  storeId: string;
  /** The register of the point of sale, when it is behind an agent. `agent` is absent when the account has no agent of this name. */
  own?: { name: string; register: string; agent?: ShownAgent };
  made?: MadeCode;
  typed?: { name: string; problem: string };
  mayChange: boolean;
  zone: string;
}

const POLL_MS = 5_000;

/** Draws the agent of this point of sale's register, or how to get an agent. `said`: the result of the last act. */
export function agentSection(say: Say, view: AgentView, said?: Markup): Markup {
  return drawnAgent(say, view, said).markup;
}

/** Draws the agent as `agentSection` does. `version`: a hash of the content, which changes only when the section must be redrawn. */
export function drawnAgent(say: Say, view: AgentView, said?: Markup): { markup: Markup; version: string } {
  const { storeId, own, made } = view;
  const base = `/settings/stores/${encodeURIComponent(storeId)}/agent`;
  const content = html`${own === undefined ? enrolForm(say, view, base) : ownAgent(say, own, view, base)}`;
  const version = createHash("sha256").update(content.toString()).digest("base64url").slice(0, 16);
  // A shown code must stay on the page, so the section does not refresh.
  const polling =
    own === undefined || made !== undefined
      ? undefined
      : html` data-live hx-get="${base}?since=${version}" hx-trigger="every ${POLL_MS}ms" hx-swap="outerHTML"`;
  const markup = html`<section class="card" id="agent"${own === undefined ? undefined : html` data-agent="${own.name}"`}${polling}>
<h2>${say("Касса стоит в магазине", "The register stands in the shop")}</h2>
${said}
${made === undefined ? undefined : codePanel(say, made, view.zone)}
${content}
</section>`;
  return { markup, version };
}

function codePanel(say: Say, { name, code, server, expiresAtMs }: MadeCode, zone: string): Markup {
  const until = dayAndHourAt(expiresAtMs, zone);
  return html`<div class="panel green" data-code><strong>${say(`Код для ${name}`, `Code for ${name}`)}: <code data-value="code">${code}</code></strong>
<div class="ink"><p>${say(
    `Код действует один раз, до ${until}. На компьютере в магазине:`,
    `The code works once, until ${until}. On the computer in the shop:`,
  )}</p><p><code data-value="command">${enrolCommand(server, code)}</code></p></div></div>`;
}

function enrolForm(say: Say, { typed, mayChange }: AgentView, base: string): Content {
  const words = html`<p class="hint">${say(
    "Если касса подключена к компьютеру в магазине, а сервер до неё не достаёт, на том компьютере ставят программу — агент.",
    "When the register is at a computer in the shop and the server cannot reach it, a program is set up there: the agent.",
  )}</p>`;
  if (!mayChange) return words;
  return html`${words}<form hx-post="${base}" hx-target="#agent" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
<div class="fields">${field(say, {
    name: "agent",
    label: say("Название агента", "Name of the agent"),
    value: typed?.name ?? "",
    hint: say("Строчные латинские буквы, цифры, дефис, например shop-7.", "Lower-case letters, digits and dashes, such as shop-7."),
    ...(typed === undefined ? {} : { problem: typed.problem }),
    kind: { type: "text", maxLength: 40 },
  })}</div>
<div class="actions"><button type="submit" data-action="enrol">${say("Получить код", "Make a code")}</button></div></form>`;
}

function ownAgent(
  say: Say,
  { name, register, agent }: NonNullable<AgentView["own"]>,
  { mayChange, zone }: AgentView,
  base: string,
): Content {
  if (agent === undefined) return html`<p class="panel red">${say(`Агент ${name} не заведён.`, `There is no agent ${name}.`)}</p>`;
  const { light, words, todo } = agentLight(say, agent, zone);
  const device = agent.registers.find((each) => each.name === register);
  return html`<p><span class="light" data-light="${light}">${words}</span></p>${todo === undefined ? undefined : html`<p>${todo}</p>`}
${facts([
  [say("Агент", "Agent"), name],
  [say("Версия", "Version"), agent.version ?? undefined],
  [say("Касса", "Register"), device === undefined ? undefined : deviceLines(say, device)],
  [say("Сейчас стоит", "Stands there now"), device?.other === undefined ? undefined : deviceLines(say, device.other)],
])}
${mayChange ? actions(say, { accepting: acceptWords(say, agent, device), name }, base) : undefined}`;
}

/** Returns the words of the accept button. Undefined: nothing to accept. */
function acceptWords(say: Say, { state }: ShownAgent, device: ShownRegister | undefined): string | undefined {
  if (device?.other !== undefined) return say("Подтвердить замену", "Accept the replacement");
  return state === "forked" ? say("Подтвердить копию", "Accept the copy") : undefined;
}

function actions(say: Say, { accepting, name }: { accepting: string | undefined; name: string }, base: string): Markup {
  const replaced = say(
    "Прежний компьютер больше не подключится, когда кодом воспользуются. Получить код?",
    "The earlier computer connects no more once the code is used. Make a code?",
  );
  return html`<form class="actions" hx-post="${base}" hx-target="#agent" hx-swap="outerHTML" hx-sync="this:drop">
<input type="hidden" name="agent" value="${name}"><input type="hidden" name="replace" value="yes">
${
  accepting === undefined
    ? undefined
    : html`<button type="submit" class="primary" data-action="accept" hx-post="${base}/accept" hx-target="#agent" hx-swap="outerHTML">${accepting}</button>`
}
<button type="submit" class="quiet" data-action="enrol" hx-post="${base}" hx-target="#agent" hx-swap="outerHTML" hx-confirm="${replaced}">${say(
    "Новый код для компьютера",
    "New code for the computer",
  )}</button></form>`;
}
