import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Answered, PendingCall, Reach, Tunnel, TunnelCall } from "../registers/tunnel.ts";
import type { AgentRequest, RequestAnswer } from "./request-schema.ts";

const NO_SERVER = "no running server has answered; it is the server that an agent is connected to";

/**
 * Returns a tunnel for a command, which runs in another process than the server. The tunnel supports only `examine`, which the server
 * carries out.
 */
export function askedTunnel(ask: (request: AgentRequest, deadline: Deadline) => Promise<RequestAnswer | undefined>): Tunnel {
  const reach = (agent: string): Reach => ({
    kind: "connected",
    connection: {
      epoch: 0,
      folder: "",
      call: (call, deadline) => pendingOf(examine(ask, agent, call, deadline)),
      // Only the server can close the connection of the agent.
      malformed: () => {},
    },
  });
  return { reach, again: async (agent) => reach(agent), admit: async () => undefined };
}

async function examine(
  ask: (request: AgentRequest, deadline: Deadline) => Promise<RequestAnswer | undefined>,
  name: string,
  call: TunnelCall,
  deadline: Deadline,
): Promise<Answered> {
  if (call.do !== "examine") return { kind: "lost", reason: "a command only examines" };
  const { register, zone, zoneKnown } = call;
  const answer = await ask({ kind: "examine", place: { name, register }, zone, zoneKnown }, deadline);
  if (answer === undefined) return { kind: "lost", reason: NO_SERVER };
  return answer.kind === "done" ? { kind: "result", result: answer.result } : { kind: "lost", reason: answer.reason };
}

function pendingOf(answering: Promise<Answered>): PendingCall {
  const answered = answering.catch((error: unknown): Answered => ({ kind: "lost", reason: messageOf(error) }));
  return { accepted: Promise.resolve(false), answered, go: () => false };
}
