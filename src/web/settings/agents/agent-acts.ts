import type { Actor } from "../../../accounts/audit.ts";
import { agentPlaceIn } from "../../../agents/address.ts";
import { AGENT_NAME } from "../../../agents/agent.ts";
import { tooManyAgents } from "../../agents/agent-words.ts";
import type { AgentsPart } from "../../agents/agents-part.ts";
import { told } from "../../fields.ts";
import type { Content, Markup } from "../../html.ts";
import type { PageContext } from "../context.ts";
import type { NamedPoint } from "../point.ts";
import type { SettingsPageServices } from "../services.ts";
import { setUpWords } from "../set-up-section.ts";
import { type AgentView, agentSection, drawnAgent } from "./agent-section.ts";

type Services = Pick<SettingsPageServices, "settings" | "change"> & { agents?: AgentsPart };
type Form = ReadonlyMap<string, string>;

/** The section that replaces the submitted section. 422: the person must correct a value in it. */
interface Answered {
  status: 200 | 422;
  markup: Markup;
}

const CODE_MINUTES = 15;

/** Draws the agent of a point of sale. Undefined: this server has no agents. */
export async function agentPart(
  services: Services,
  context: PageContext,
  point: NamedPoint,
): Promise<{ markup: Markup; version: string } | undefined> {
  const { agents } = services;
  return agents === undefined ? undefined : drawnAgent(context.say, await viewOf({ ...services, agents }, context, point));
}

/**
 * Makes an enrolment code. Each click makes a new code, and only the newest code for a name works. `isChosen`: the point of sale had no
 * register and got the agent's register. Undefined: this server has no agents.
 */
export async function enrolAgent(
  services: Services,
  context: PageContext,
  point: NamedPoint,
  form: Form,
): Promise<(Answered & { isChosen?: boolean }) | undefined> {
  const { agents } = services;
  if (agents === undefined) return undefined;
  const { say } = context;
  const view = await viewOf({ ...services, agents }, context, point);
  const name = form.get("agent")?.trim() ?? "";
  const wrong = (problem: string): Answered => ({ status: 422, markup: agentSection(say, { ...view, typed: { name, problem } }) });
  if (!AGENT_NAME.test(name)) return wrong(say("От 1 до 40 строчных латинских букв, цифр и дефисов.", "1 to 40 of a-z, 0-9 and dashes."));
  const wanted = { name, key: keyOf(point), minutes: CODE_MINUTES, replace: form.get("replace") === "yes", actor: actorOf(context) };
  const issued = await agents.issue(wanted);
  if (issued.kind === "foreign") return wrong(say("Это название занято. Выберите другое.", "This name is taken. Choose another."));
  if (issued.kind === "full") return wrong(tooManyAgents(say));
  if (issued.kind === "taken") {
    return wrong(
      say(
        "Такой агент у вас уже есть. Выберите его в виде кассы или возьмите другое название.",
        "You have such an agent. Choose it as the kind of register, or take another name.",
      ),
    );
  }
  const said = await chooseAgent(services, context, point, name);
  const made = { name, code: issued.code, server: agents.url, expiresAtMs: issued.expiresAtMs };
  const now = await viewOf({ ...services, agents }, context, point);
  return { status: 200, markup: agentSection(say, { ...now, made }, said), isChosen: said !== undefined };
}

/**
 * Accepts the shop's current device, or another copy of the agent. Undefined: this server has no agents, or the register of the point of
 * sale is not behind an agent of this account.
 */
export async function acceptAgent(services: Services, context: PageContext, point: NamedPoint): Promise<Answered | undefined> {
  const { agents } = services;
  if (agents === undefined) return undefined;
  const { say } = context;
  const { own } = await viewOf({ ...services, agents }, context, point);
  // An account may accept only devices and copies of its own agents.
  if (own?.agent === undefined) return undefined;
  const accepted = await agents.accept({ name: own.name, register: own.register }, actorOf(context));
  const words = accepted.kind === "accepted" ? say("Подтверждено", "Accepted") : say("Подтверждать нечего", "There is nothing to accept");
  return { status: 200, markup: agentSection(say, await viewOf({ ...services, agents }, context, point), told("done", words)) };
}

/**
 * Gives the agent's register to a point of sale without a register. A point of sale with a register keeps its register until a person
 * changes it.
 */
async function chooseAgent(services: Services, context: PageContext, point: NamedPoint, name: string): Promise<Markup | undefined> {
  const { say } = context;
  const { register } = await services.settings.of(point.place.appId, point.place.accountId, point.id);
  if (register !== undefined) return undefined;
  const changed = await services.change({ key: keyOf(point), actor: actorOf(context) }, point.id, [
    { name: "register", text: `agent:${name}`, seen: "" },
  ]);
  if (changed.kind !== "changed") return undefined;
  const words: Content = say("Касса точки — за этим агентом", "The register of this point of sale is behind this agent");
  return setUpWords(say, changed.setUp) ?? told("done", words);
}

async function viewOf(services: Services & { agents: AgentsPart }, { mayChange }: PageContext, point: NamedPoint): Promise<AgentView> {
  const { register, timeZone } = await services.settings.of(point.place.appId, point.place.accountId, point.id);
  const place = register === undefined ? undefined : agentPlaceIn(register);
  const common = { storeId: point.id, mayChange, zone: timeZone };
  if (place === undefined) return common;
  const agent = (await services.agents.list(keyOf(point))).find(({ name }) => name === place.name);
  return { ...common, own: { ...place, ...(agent === undefined ? {} : { agent }) } };
}

function keyOf({ place: { appId, accountId } }: NamedPoint): { appId: string; accountId: string } {
  return { appId, accountId };
}

function actorOf({ session: { name } }: PageContext): Actor {
  return { name, place: "page" };
}
