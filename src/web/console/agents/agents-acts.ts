import { AGENT_NAME, type ShownAgent } from "../../../agents/agent.ts";
import { agentLight, deviceWords, tooManyAgents } from "../../agents/agent-words.ts";
import type { Acted } from "../acts.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import type { ConsoleServices } from "../services.ts";
import { type AgentsSaid, agentsPage } from "./agents-page.ts";

type Services = Pick<ConsoleServices, "installations"> & { agents: NonNullable<ConsoleServices["agents"]> };
type Form = ReadonlyMap<string, string>;

const CODE_MINUTES = 15;

export async function agentsView(
  { agents, installations }: Services,
  context: ConsoleContext,
  just: AgentsSaid = {},
): Promise<ConsoleView> {
  return agentsPage(context, { agents: await agents.list(), installations: await installations() }, just);
}

/** Undefined: no agent and no valid code has this name. */
export async function agentNamed({ agents }: Pick<Services, "agents">, name: string): Promise<ShownAgent | undefined> {
  return (await agents.list()).find((agent) => agent.name === name);
}

/** Makes an enrolment code. Each click makes a new code, and only the newest code for a name works. */
export async function enrolAct(services: Services, context: ConsoleContext, form: Form): Promise<Acted> {
  const { say, session } = context;
  const wrong = async (field: "name" | "account", words: string): Promise<Acted> => ({
    status: 422,
    view: await agentsView(services, context, { form: { typed: form, problem: { field, words } } }),
  });
  const name = form.get("name")?.trim() ?? "";
  if (!AGENT_NAME.test(name))
    return wrong("name", say("От 1 до 40 строчных латинских букв, цифр и дефисов.", "1 to 40 of a-z, 0-9 and dashes."));
  const account = form.get("account") ?? "";
  const key = (await services.installations()).find(({ appId, accountId }) => `${appId}/${accountId}` === account);
  if (key === undefined) return wrong("account", say("Выберите аккаунт.", "Choose an account."));
  const wanted = { name, key, minutes: CODE_MINUTES, replace: form.has("replace"), actor: { name: session.login, place: "page" as const } };
  const issued = await services.agents.issue(wanted);
  if (issued.kind === "foreign") return wrong("name", say("Это название занято. Выберите другое.", "This name is taken. Choose another."));
  if (issued.kind === "full") return wrong("account", tooManyAgents(say));
  if (issued.kind === "taken")
    return wrong(
      "name",
      say("Такой агент уже есть. Отметьте, что его нужно заменить.", "There is such an agent. Say that it is to be replaced."),
    );
  const { code, expiresAtMs } = issued;
  return { status: 200, view: await agentsView(services, context, { made: { name, code, server: services.agents.url, expiresAtMs } }) };
}

/** Accepts the new device of a register, or another copy of the agent. Safe to repeat. */
export async function acceptAct(services: Services, context: ConsoleContext, agent: ShownAgent, form: Form): Promise<Acted> {
  const { say, session } = context;
  const place = { name: agent.name, register: form.get("register") ?? "" };
  const accepted = await services.agents.accept(place, { name: session.login, place: "page" });
  if (accepted.kind !== "accepted") {
    const said = say("Подтверждать нечего.", "There is nothing to accept.");
    return { status: 409, view: await agentsView(services, context, { said }) };
  }
  const said =
    accepted.device === undefined
      ? say("Подтверждено.", "Accepted.")
      : say("Подтверждена ", "Accepted: ") + deviceWords(say, accepted.device);
  return { status: 200, view: await agentsView(services, context, { said }) };
}

/** Revokes an agent: the server ends the agent's connection and refuses its later connections. Safe to repeat. */
export async function revokeAct(services: Services, context: ConsoleContext, agent: ShownAgent, form: Form): Promise<Acted> {
  const { say, session, zone } = context;
  if (!form.has("sure")) {
    const said = say("Отметьте, что уверены.", "Say that you are sure.");
    return { status: 422, view: await agentsView(services, context, { said }) };
  }
  await services.agents.revoke(agent.name, { name: session.login, place: "page" });
  const after = await agentNamed(services, agent.name);
  const said = `${agent.name}: ${after === undefined ? "" : agentLight(say, after, zone).words}`;
  return { status: 200, view: await agentsView(services, context, { said }) };
}
