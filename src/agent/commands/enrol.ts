import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { hostname } from "node:os";
import type { Failure } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { PROTOCOLS } from "../../registers/agent/wire/protocol.ts";
import { type AgentCommand, readAgentArguments, wrongOption } from "../command-line.ts";
import { connectProblem } from "../dial/problem.ts";
import { type ServerAddress, wayTo } from "../dial/server-address.ts";
import { agentFailure } from "../failures.ts";
import { identityIn, isEnrolled, lockFolderOf, storeIdentity } from "../folder/data-folder.ts";
import { makeKey } from "../folder/key.ts";
import { type Admitted, readAdmitted } from "../folder/stored-schema.ts";
import { VERSION } from "../version.ts";
import { caOf, PLACE_OPTIONS, placeOf, serverOf, WAY_OPTIONS } from "./options.ts";

const LIMIT_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Asks a server to enrol the agent. The key is stored first, so a repeat after a crash uses the same key. The identity is stored last: a
 * folder without an identity is not enrolled.
 */
export const enrolCommand: AgentCommand = {
  name: "enrol",
  async run(args, io) {
    const options = { ...PLACE_OPTIONS, ...WAY_OPTIONS, server: { type: "string" }, code: { type: "string" } } as const;
    const { values } = readAgentArguments({ args, options });
    const { server, code, plain } = values;
    if (server === undefined || server === "") throw wrongOption("--server needs the address that agents enrol has printed");
    if (code === undefined || code === "") throw wrongOption("--code needs the code that agents enrol has printed");
    const { config, folder } = placeOf(values);
    const address = serverOf(server, plain, config);
    const ca = caOf(values.ca);
    makeDataFolder(folder.path);
    const lock = lockFolderOf(folder);
    try {
      if (isEnrolled(folder)) {
        const { name } = identityIn(folder);
        throw agentFailure("not-admitted", "caller", `${folder.path} is the folder of the agent ${name}: take another with --data`);
      }
      const key = makeKey(folder.key);
      const body = { code, publicKey: key.publicKey, version: VERSION, host: hostname() };
      const admitted = await ask(address, JSON.stringify(body), {
        agent: wayTo(address.enrolUrl, { ...ca, proxyEnv: config.proxyEnv }),
        ...ca,
      });
      storeIdentity(folder, { agent: admitted.agent, name: admitted.name, server: admitted.server, url: address.base });
      io.out(JSON.stringify({ agent: admitted.agent, name: admitted.name, server: admitted.server, data: folder.path }));
      io.err(`${admitted.name} is enrolled. Next: run --register main=ADDRESS, or the registers in ${folder.settings}`);
      return 0;
    } finally {
      lock.release();
    }
  },
};

function makeDataFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw agentFailure("folder-gone", "caller", error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function ask({ enrolUrl }: ServerAddress, body: string, options: Pick<RequestOptions, "agent"> & { ca?: string }): Promise<Admitted> {
  const { status, text } = await post(enrolUrl, body, options);
  const admitted = status === 201 ? readAdmitted(text) : undefined;
  if (admitted === undefined) throw notAdmitted(status, enrolUrl);
  const [from, to] = admitted.protocol;
  if (from > PROTOCOLS[1] || to < PROTOCOLS[0]) {
    throw agentFailure(
      "not-admitted",
      "dependency",
      `the server speaks protocol ${from} to ${to}, this agent ${PROTOCOLS.join(" to ")}: update it`,
    );
  }
  return admitted;
}

function notAdmitted(status: number, url: string): Failure {
  const words: Record<number, string> = {
    201: `${url} is no enrolment: its answer cannot be read`,
    400: `${url} calls the request wrong: server and agent differ in version`,
    403: "the code is wrong, used or expired: ask for a new one with agents enrol",
    404: `${url} is not there: agents are off at this server, or the address is another`,
    429: "too many wrong codes were sent: try again in a minute",
  };
  return agentFailure("not-admitted", "dependency", words[status] ?? `${url} answers ${status}`);
}

function post(
  url: string,
  body: string,
  { agent, ca }: Pick<RequestOptions, "agent"> & { ca?: string },
): Promise<{ status: number; text: string }> {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(agentFailure("not-admitted", "dependency", connectProblem(error, url), { cause: error }));
    const limit = AbortSignal.timeout(LIMIT_MS);
    const made = send(url, {
      method: "POST",
      headers,
      signal: limit,
      ...(agent === undefined ? {} : { agent }),
      ...(ca === undefined ? {} : { ca }),
    });
    made.once("error", fail);
    made.once("response", (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), fail);
    });
    made.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
