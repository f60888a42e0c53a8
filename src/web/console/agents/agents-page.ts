import type { Installation } from "../../../accounts/installation.ts";
import type { ShownAgent } from "../../../agents/agent.ts";
import { agentLight, deviceLines, enrolCommand } from "../../agents/agent-words.ts";
import type { MadeCode } from "../../agents/agents-part.ts";
import { dayAndHourAt } from "../../amounts.ts";
import { facts, field } from "../../fields.ts";
import { type Content, drawnInSteps, html, type Markup } from "../../html.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { noticeMarkup } from "../notice.ts";

interface AgentsParts {
  agents: readonly ShownAgent[];
  installations: readonly Installation[];
}

export interface AgentsSaid {
  said?: string;
  made?: MadeCode;
  form?: { typed: ReadonlyMap<string, string>; problem: { field: "name" | "account"; words: string } };
}

/** The largest number of agents that the page shows, those with a problem first. The browser and the server take long for more. */
const MAX_SHOWN = 1_000;
const ORDER = ["red", "amber", "grey", "green"];

/** Draws the agents with their lights, and the form that makes a code for a new agent. */
export async function agentsPage(
  context: ConsoleContext,
  { agents, installations }: AgentsParts,
  just: AgentsSaid = {},
): Promise<ConsoleView> {
  const { say } = context;
  const title = say("Агенты в магазинах", "Shop agents");
  const cards = await drawnAgents(context, agents, installations);
  const content = html`<div class="head"><h1>${title}</h1><p class="soft">${say(
    "Программы, через которые работают кассы в магазинах.",
    "Programs in shops, through which their registers work.",
  )}</p></div>
${noticeMarkup(just.said)}<div class="stack">${just.made === undefined ? undefined : codeCard(context, just.made)}
${
  cards.length === 0
    ? html`<p class="card soft">${say("Агентов ещё нет.", "There are no agents yet.")}</p>`
    : html`<div class="grid">${cards}</div>`
}${
  agents.length > cards.length
    ? html`<p class="soft" data-more>${say(
        `Показано ${cards.length} из ${agents.length}: сначала те, у которых что-то не так. Всех перечисляет команда agents list.`,
        `${cards.length} of ${agents.length} are shown, those with a problem first. The command agents list lists them all.`,
      )}</p>`
    : undefined
}
${enrolForm(context, installations, just.form)}</div>`;
  return { page: "agents", title, content };
}

async function drawnAgents(
  context: ConsoleContext,
  agents: readonly ShownAgent[],
  installations: readonly Installation[],
): Promise<Markup[]> {
  const names = accountNames(installations);
  const lit = await drawnInSteps(agents, (agent) => ({ agent, light: agentLight(context.say, agent, context.zone) }));
  const first = lit.toSorted((one, other) => ORDER.indexOf(one.light.light) - ORDER.indexOf(other.light.light)).slice(0, MAX_SHOWN);
  return drawnInSteps(first, ({ agent, light }) => agentCard(context, agent, light, names.get(agent.account) ?? agent.account));
}

function codeCard({ say, zone }: ConsoleContext, { name, code, server, expiresAtMs }: MadeCode): Markup {
  const until = dayAndHourAt(expiresAtMs, zone);
  return html`<section class="card" data-code><h2>${say(`Код для ${name}`, `Code for ${name}`)}</h2>
<p><code data-value="code">${code}</code></p>
<p class="soft">${say(`Действует один раз, до ${until}. В магазине:`, `It works once, until ${until}. In the shop:`)}</p>
<p><code data-value="command">${enrolCommand(server, code)}</code></p></section>`;
}

/**
 * Returns the account's name and the beginning of its id, because two accounts may share a name. A name with the whole id is too long for
 * the list. An account without a name is shown by its whole id.
 */
function accountLabel(name: string, id: string): string {
  return name === "" ? id : `${name} (${id.slice(0, ID_SHOWN)})`;
}

const ID_SHOWN = 8;

/** Returns the names of the accounts by id. An account with several installations may have several names. Then the first name is shown. */
function accountNames(installations: readonly Installation[]): ReadonlyMap<string, string> {
  const named = installations.filter(({ accountName }) => accountName !== "");
  return new Map(named.toReversed().map(({ accountId, accountName }) => [accountId, accountName]));
}

function agentCard(
  context: ConsoleContext,
  agent: ShownAgent,
  { light, words, todo }: ReturnType<typeof agentLight>,
  account: string,
): Markup {
  const { say } = context;
  const { name, version, epoch, rttMs, unfinished, registers } = agent;
  return html`<section class="card" data-agent="${name}"><h2><span class="light" data-light="${light}">${name}</span></h2>
<p>${words}</p>${todo === undefined ? undefined : html`<p>${todo}</p>`}
${facts([
  [say("Аккаунт", "Account"), account],
  [say("Версия", "Version"), version ?? undefined],
  [say("Подключений", "Connections"), epoch ?? undefined],
  [say("Ответ, мс", "Answers in, ms"), rttMs === null ? undefined : Math.max(1, Math.round(rttMs))],
  [say("Не окончено", "Unfinished"), unfinished === null || unfinished === 0 ? undefined : unfinished],
  ...registers.flatMap((register): [string, Content][] => [
    [say(`Касса ${register.name}`, `Register ${register.name}`), deviceLines(say, register)],
    [say("Сейчас стоит", "Stands there now"), register.other && deviceLines(say, register.other)],
  ]),
])}
${actions(context, agent)}</section>`;
}

function actions({ say, session }: ConsoleContext, { name, state, registers, codeUntil }: ShownAgent): Content {
  // A name with only a code has no agent yet, so there is nothing to accept or revoke.
  if (state === "revoked" || codeUntil !== undefined) return undefined;
  const token = html`<input type="hidden" name="csrf" value="${session.csrf}">`;
  const others = registers.filter(({ other }) => other !== undefined);
  const accept = (register: string, label: string) =>
    html`<form method="post" action="/console/agents/${name}/accept">${token}<input type="hidden" name="register" value="${register}"><button class="primary" data-action="accept">${label}</button></form>`;
  return html`<div class="actions">${others.map(({ name: register }) =>
    accept(register, say(`Подтвердить кассу ${register}`, `Accept the device of ${register}`)),
  )}${state === "forked" && others.length === 0 ? accept("main", say("Подтвердить копию", "Accept the copy")) : undefined}</div>
<details><summary>${say("Отозвать", "Revoke")}</summary><form method="post" action="/console/agents/${name}/revoke">${token}
<p class="soft">${say("Агент отключится и больше не подключится.", "The agent is disconnected and comes back no more.")}</p>
<label class="check"><input type="checkbox" name="sure" value="1" required> ${say("Отозвать без возврата", "Revoke it for good")}</label>
<div class="actions"><button class="danger" data-action="revoke">${say("Отозвать", "Revoke")}</button></div></form></details>`;
}

function enrolForm({ say, session }: ConsoleContext, installations: readonly Installation[], form: AgentsSaid["form"]): Markup {
  const typed = (name: string) => form?.typed.get(name) ?? "";
  const problem = (name: "name" | "account") => (form?.problem.field === name ? { problem: form.problem.words, focus: true } : {});
  return html`<section class="card" id="enrol"><h2>${say("Завести агента", "Enrol an agent")}</h2>
<form method="post" action="/console/agents"><input type="hidden" name="csrf" value="${session.csrf}"><div class="fields">${field(say, {
    name: "name",
    label: say("Название", "Name"),
    value: typed("name"),
    hint: say("Строчные латинские буквы, цифры, дефис.", "Lower-case letters, digits and dashes."),
    ...problem("name"),
    kind: { type: "text", maxLength: 40 },
  })}${field(say, {
    name: "account",
    label: say("Аккаунт", "Account"),
    value: typed("account"),
    ...problem("account"),
    kind: {
      type: "choice",
      options: installations.map(({ appId, accountId, accountName }) => ({
        value: `${appId}/${accountId}`,
        label: accountLabel(accountName, accountId),
      })),
    },
  })}</div><label class="check"><input type="checkbox" name="replace" value="1"> ${say(
    "Заменить прежнего агента с этим названием",
    "Replace the earlier agent of this name",
  )}</label>
<div class="actions"><button class="primary" data-action="enrol">${say("Получить код", "Make a code")}</button></div></form></section>`;
}
