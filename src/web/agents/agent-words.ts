import type { ShownAgent, ShownRegister } from "../../agents/agent.ts";
import { MAX_AGENTS_OF_ACCOUNT } from "../../agents/enrolment.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html } from "../html.ts";
import type { Say } from "../language.ts";

interface AgentLight {
  light: "green" | "amber" | "red" | "grey";
  words: string;
  todo?: string;
}

/** Says that the account can have no more agents. */
export function tooManyAgents(say: Say): string {
  const most = MAX_AGENTS_OF_ACCOUNT;
  return say(`У аккаунта уже ${most} агентов, больше завести нельзя.`, `The account has ${most} agents already and can have no more.`);
}

export function agentLight(say: Say, agent: ShownAgent, zone: string): AgentLight {
  const since = agent.since === null ? "" : dayAndHourAt(Date.parse(agent.since), zone);
  switch (agent.state) {
    case "revoked":
      return { light: "grey", words: say(`Отозван ${since}`, `Revoked ${since}`) };
    case "forked":
      return {
        light: "red",
        words: say("Подключается вторая копия агента", "Another copy of the agent wants to connect"),
        todo: say(
          "Работает та, что подключилась раньше. Остановите лишнюю копию и подтвердите ту, что осталась.",
          "The copy that connected before works on. Stop the copy that is too many, and accept the one that remains.",
        ),
      };
    case "away":
      return {
        light: "red",
        words: say(`Не на связи с ${since}`, `Away since ${since}`),
        todo: say(
          "Проверьте в магазине, что компьютер включён, есть интернет и программа агента запущена.",
          "See in the shop that the computer is on, has internet, and the agent's program runs.",
        ),
      };
    case "waiting":
      return { light: "grey", words: waitingWords(say, agent, zone) };
    case "connected":
      return connectedLight(say, agent.registers, since);
  }
}

function waitingWords(say: Say, { codeUntil }: ShownAgent, zone: string): string {
  if (codeUntil === undefined) return say("Заведён, ещё не подключался", "Enrolled, not connected yet");
  const until = dayAndHourAt(Date.parse(codeUntil), zone);
  return say(`Код действует до ${until}`, `Its code works until ${until}`);
}

function connectedLight(say: Say, registers: readonly ShownRegister[], since: string): AgentLight {
  const words = say(`На связи с ${since}`, `Connected since ${since}`);
  if (registers.some(({ other }) => other !== undefined)) {
    return {
      light: "red",
      words: say("На связи, но касса или накопитель другие", "Connected, but the register or its drive is another"),
      todo: say("Если их заменили, подтвердите замену.", "If they were replaced, accept the replacement."),
    };
  }
  if (registers.some(({ state }) => state === "unreachable"))
    return { light: "amber", words: say("На связи, касса не отвечает", "Connected, the register does not answer") };
  return { light: "green", words };
}

interface Device {
  serialNumber: string | null;
  driveNumber: string | null;
}

/** Returns the words for a register's device within a sentence. */
export function deviceWords(say: Say, { serialNumber, driveNumber }: Device): string {
  return say(`касса № ${serialNumber}, ФН ${driveNumber}`, `device ${serialNumber}, drive ${driveNumber}`);
}

/** Returns the numbers of a device in two lines, because a narrow column has no room for both numbers in one line. */
export function deviceLines(say: Say, { serialNumber, driveNumber }: Device): Content {
  if (serialNumber === null) return say("кассу ещё не спрашивали", "not asked yet");
  return html`${say(`№\u00a0${serialNumber}`, `device ${serialNumber}`)}<br>${say(`ФН\u00a0${driveNumber}`, `drive ${driveNumber}`)}`;
}

/** Returns the command that enrols an agent in the shop. */
export function enrolCommand(server: string, code: string): string {
  return `node src/agent.ts enrol --server ${server} --code ${code}`;
}
