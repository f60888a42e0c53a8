import type { BlockList } from "node:net";
import type { Request, Response, Router } from "express";
import type { ZodType } from "zod";
import type { Enrolment } from "../../agents/enrolment.ts";
import { answerJson } from "../../http/answer.ts";
import { Numeral, parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter } from "../../http/route.ts";
import { callerOf, networkOf } from "../../http/source.ts";
import { messageOf } from "../../kernel/failure.ts";
import { AGENTS_ENDPOINTS } from "./endpoints.ts";
import * as failures from "./failures.ts";
import { readEnrol } from "./schema.ts";

interface AgentsServices {
  enrolment: Pick<Enrolment, "enrol">;
  server(): string;
  /** The oldest and the newest version of the agents' protocol that this server supports. */
  protocol: readonly [number, number];
  /** Proxies of these networks may state the caller's address in a header. */
  trustedProxies: BlockList;
  /** Called after an enrolment, which may have replaced an earlier agent of this name. */
  enrolled(name: string): Promise<void>;
}

/** The agents' contract, for the documentation. `schemas`: the schemas of the values in the connection's frames, by documented name. */
export function agentsSpec(schemas: Readonly<Record<string, ZodType>>): ContractSpec {
  return {
    title: "Shop agents",
    base: "/agents",
    description: "Agents in shops dial in here. The server sells through a register behind an agent as if the device were its own.",
    endpoints: AGENTS_ENDPOINTS,
    schemas,
  };
}

/** The agents' router. Mount it at `/agents`, after the handler `requestContext`. */
export function agentsRoutes(services: AgentsServices): Router {
  const handlers = {
    enrol: (request: Request, response: Response) => enrol(services, request, response),
    connect: (_request: Request, response: Response) => {
      response.setHeader("Upgrade", "websocket");
      refuse(response, failures.needsUpgrade);
    },
  };
  return contractRouter(AGENTS_ENDPOINTS, handlers, CONTRACT_ANSWERS);
}

async function enrol(services: AgentsServices, request: Request, response: Response): Promise<void> {
  const body = await readBody(request, { maxBytes: failures.MAX_BODY_BYTES });
  if (body.kind === "aborted") return;
  if (body.kind === "too-large") return refuse(response, failures.tooLarge);
  if (body.kind === "wrong-type") return refuse(response, failures.wrongType);
  if (body.kind === "crowded") return refuse(response, failures.crowded);
  if (body.kind !== "body") return refuse(response, failures.brokenBody);
  const json = parseJson(body.bytes, (text) => new Numeral(text));
  if (json.kind !== "json") return refuse(response, failures.brokenBody);
  const read = readEnrol(json.value);
  if (read.kind === "wrong") return refuse(response, failures.errorIs(400, read.problem, read.parameter));
  const enrolled = await services.enrolment.enrol(read.body, networkOf(callerOf(request, services.trustedProxies)));
  if (enrolled.kind === "bad-key") return refuse(response, failures.badKey);
  if (enrolled.kind === "refused") return refuse(response, failures.refusedCode);
  if (enrolled.kind === "too-many") return refuse(response, failures.tooManyCodes);
  noteProved(response);
  const { agent, name } = enrolled;
  noteForLog(response, { agent: name, outcome: "enrolled" });
  await services.enrolled(name);
  answerJson(response, 201, { agent, name, server: services.server(), protocol: services.protocol });
}

function refuse(response: Response, { status, body }: failures.AgentsError): void {
  logOf(response).warn({ status, reason: body.errors[0]?.error }, "a request of an agent was refused");
  answerJson(response, status, body);
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => refuse(response, failures.unknownPath),
  wrongMethod: (_request, response) => refuse(response, failures.wrongMethod),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error) }, "a request of an agent failed");
    answerJson(response, failures.fault.status, failures.fault.body);
  },
};
