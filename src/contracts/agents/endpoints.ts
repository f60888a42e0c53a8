import type { Endpoint } from "../../http/route.ts";
import { enrolledSchema, enrolSchema, errorsSchema } from "./schema.ts";

type AgentsCallId = "enrol" | "connect";

export const AGENTS_ENDPOINTS: readonly (Endpoint & { id: AgentsCallId })[] = [
  {
    id: "enrol",
    method: "POST",
    path: "/enrol",
    summary: "Enrols a shop's agent",
    description: "The agent draws its key in the shop and sends only the public half. A code works once and for minutes.",
    body: enrolSchema,
    answers: [
      { status: 201, description: "The agent may connect now", body: enrolledSchema },
      { status: 400, description: "The body is wrong", body: errorsSchema },
      { status: 403, description: "The code is wrong, used or expired", body: errorsSchema },
      { status: 429, description: "Too many wrong codes in a minute: 5 from one source, 30 from all", body: errorsSchema },
      { status: 503, description: "Nothing was done: repeat it", body: errorsSchema },
    ],
  },
  {
    id: "connect",
    method: "GET",
    path: "/connect",
    summary: "Opens the agent's connection",
    description:
      "WebSocket, subprotocol `fiscal-agent.v1`, JSON text frames of at most 1 MiB, no compression. The schemas `AgentIdentity`, `AgentInspect`, `AgentDocument` and `AgentOutcome` describe what travels in calls and answers.",
    answers: [
      { status: 101, description: "The connection is open" },
      { status: 426, description: "The request asks for no WebSocket", body: errorsSchema },
    ],
  },
];
