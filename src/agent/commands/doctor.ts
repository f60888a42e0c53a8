import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { systemChance } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Examined } from "../../registers/examination-schema.ts";
import { type AgentCommand, type AgentIo, readAgentArguments } from "../command-line.ts";
import { connectProblem } from "../dial/problem.ts";
import { type ServerAddress, wayTo } from "../dial/server-address.ts";
import { identityIn } from "../folder/data-folder.ts";
import { readKey } from "../folder/key.ts";
import type { NamedRegister } from "../service/inner-register.ts";
import { caOf, namedRegisters, PLACE_OPTIONS, type Place, placeOf, REGISTER_OPTIONS, serverOf, WAY_OPTIONS } from "./options.ts";

const SERVER_LIMIT_MS = 10_000;
/**
 * The time limit for the examination of one register. On a slow serial line its questions together take about 20 s. In addition, a device
 * may be silent for about 20 s between two questions.
 */
const REGISTER_LIMIT_MS = 180_000;
/**
 * A larger difference between the clocks of this machine and of the server is reported. The server's `Date` header, which is used for the
 * comparison, has only whole seconds.
 */
const CLOCK_OFF_SECONDS = 60;
/** The status of the server's answer to a request at `/connect` that asks for no WebSocket. */
const UPGRADE_REQUIRED = 426;

interface ServerFinding {
  url: string;
  reached: boolean;
  problem?: string;
  /** This machine's clock minus the server's. Absent: the server was not reached, or its answer has no valid `Date` header. */
  clockAheadSeconds?: number;
}

interface RegisterFinding {
  name: string;
  address: string;
  examined: Examined;
}

/**
 * Examines the way to the server and each register, and changes nothing. The command asks the server with an HTTP request, because a
 * WebSocket connection of this agent would replace the connection of the running agent. A register that another process has locked is not
 * examined.
 */
export const doctorCommand: AgentCommand = {
  name: "doctor",
  async run(args, io) {
    const options = { ...PLACE_OPTIONS, ...REGISTER_OPTIONS, ...WAY_OPTIONS, json: { type: "boolean", default: false } } as const;
    const { values } = readAgentArguments({ args, options });
    const place = placeOf(values);
    const registers = namedRegisters(place.folder, values.register);
    const identity = identityIn(place.folder);
    readKey(place.folder.key);
    const server = await examineServer(serverOf(identity.url, values.plain, place.config), place, caOf(values.ca));
    const examined: RegisterFinding[] = [];
    for (const register of registers) examined.push(await examineRegister(register, place));
    if (values.json) io.out(JSON.stringify({ agent: identity.agent, name: identity.name, server, registers: examined }, undefined, 2));
    else tell(server, examined, io);
    const stops = examined.some(({ examined: one }) => one.kind === "unreachable" || (one.kind === "examined" && stopsNow(one)));
    return stops || !server.reached ? 1 : 0;
  },
};

async function examineServer(address: ServerAddress, { config, clock }: Place, ca: { ca?: string }): Promise<ServerFinding> {
  const url = address.connectUrl.replace(/^ws/, "http");
  const agent = wayTo(url, { ...ca, proxyEnv: config.proxyEnv });
  try {
    const { statusCode, headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.startsWith("https:") ? httpsRequest : httpRequest;
      const made = send(url, { agent, ...ca, signal: AbortSignal.timeout(SERVER_LIMIT_MS) }, (response) => {
        response.resume();
        resolve(response);
      });
      made.once("error", reject);
      made.end();
    });
    if (statusCode !== UPGRADE_REQUIRED) return { url, reached: false, problem: `${url} answers ${statusCode}: no agents are taken there` };
    const at = Date.parse(headers.date ?? "");
    return { url, reached: true, ...(Number.isNaN(at) ? {} : { clockAheadSeconds: Math.round((clock.nowMs() - at) / 1_000) }) };
  } catch (error) {
    return { url, reached: false, problem: connectProblem(error, url) };
  }
}

async function examineRegister({ name, address }: NamedRegister, { config, folder, clock }: Place): Promise<RegisterFinding> {
  const services = { clock, chance: systemChance, dataDir: folder.path, zone: config.timeZone, zoneKnown: false, note() {} };
  const examined = await address.examine(services, deadlineIn(clock, REGISTER_LIMIT_MS)).catch((error: unknown): Examined => {
    if (!(error instanceof Failure)) throw error;
    return { kind: "unreachable", reason: error.message };
  });
  return { name, address: address.canonical, examined };
}

function stopsNow({ examination }: Extract<Examined, { kind: "examined" }>): boolean {
  return examination.findings.some(({ weight }) => weight === "stops-now");
}

function tell(server: ServerFinding, registers: readonly RegisterFinding[], io: AgentIo): void {
  io.out(`server ${server.url}: ${server.reached ? "reached" : `NOT REACHED: ${server.problem}`}`);
  const offSeconds = server.clockAheadSeconds ?? 0;
  if (Math.abs(offSeconds) > CLOCK_OFF_SECONDS) io.out(`  Worth knowing: this machine's clock is ${offSeconds} s ahead of the server's.`);
  if (registers.length === 0) io.out("no register: add one to agent.json, or give it with --register");
  for (const { name, address, examined } of registers) {
    io.out(`register ${name}, ${address}: ${wordsOf(examined)}`);
    if (examined.kind !== "examined") continue;
    for (const { weight, words, remedy } of examined.examination.findings) io.out(`  ${weight}: ${words} ${remedy}`);
  }
}

function wordsOf(examined: Examined): string {
  switch (examined.kind) {
    case "held":
      return `in use by ${examined.holder}; the server examines it with doctor agent:NAME`;
    case "unreachable":
      return `NOT REACHED: ${examined.reason}`;
    case "examined":
      return [
        examined.examination.identity.model,
        `serial number ${examined.examination.identity.serialNumber}`,
        `drive ${examined.examination.drive.number}`,
      ]
        .filter((part) => part !== undefined)
        .join(", ");
  }
}
