import type { Deadline } from "../../kernel/deadline.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { notUsable } from "../../model/unreachable.ts";
import type { Examined } from "../examination-schema.ts";
import { NOT_HELD } from "../not-permitted.ts";
import type { ExaminationServices, RegisterServices } from "../protocol.ts";
import type { Attempt, LookUp, Outcome, Reached, Recalled, RecordedAttempt, Register, RegisterState } from "../register.ts";
import type { Tunnel, TunnelConnection } from "../tunnel.ts";
import { performThroughAgent, refusedWith } from "./performing.ts";
import type { AgentPlace } from "./place.ts";
import { type Asked, ask, wordsOf } from "./question.ts";
import { recallFrom } from "./recalling.ts";
import { abandonedSchema, agentIdentitySchema, agentInspectSchema, examinedSchema, lookUpSchema } from "./wire/register-schema.ts";

/** For the cashier: there is no tunnel, for example because the setting AGENTS is `off`. */
const NO_TUNNEL = "сервер не принимает агентов";

/**
 * A register at the far end of a tunnel. The shop's agent has the driver and the device. The identity is cached per connection, because
 * each `inspect` and each `perform` needs it.
 */
export class AgentRegister implements Register {
  readonly #place: AgentPlace;
  readonly #services: Pick<RegisterServices, "clock" | "tunnel" | "maySend">;
  #known: { epoch: number; identity: RegisterIdentity } | undefined;
  /** The id of the agent's data folder at the last successful `inspect`. */
  #inspectedIn: string | undefined;

  constructor(place: AgentPlace, services: Pick<RegisterServices, "clock" | "tunnel" | "maySend">) {
    this.#place = place;
    this.#services = services;
  }

  async identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    const reached = this.#reach();
    if (reached.kind === "unreachable") return reached;
    const { tunnel, connection } = reached.value;
    if (this.#known?.epoch === connection.epoch) return { kind: "reached", value: this.#known.identity };
    this.#known = undefined;
    const { agent, register } = this.#place;
    const answer = told(await ask(connection, { do: "identity", register }, agentIdentitySchema, deadline));
    if (answer.kind === "unreachable") return answer;
    const { serialNumber, driveNumber } = answer.value;
    const reason = await tunnel.admit(agent, register, { serialNumber, driveNumber });
    if (reason !== undefined) return { kind: "unreachable", reason, otherDevice: true };
    this.#known = { epoch: connection.epoch, identity: answer.value };
    return answer;
  }

  async inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    const { register } = this.#place;
    const known = await this.identity(deadline);
    if (known.kind === "unreachable") return known;
    const reached = this.#reach();
    if (reached.kind === "unreachable") return reached;
    const { connection } = reached.value;
    const answer = this.#seen(told(await ask(connection, { do: "inspect", register }, agentInspectSchema, deadline)));
    if (answer.kind === "unreachable") return answer;
    // A different drive means a different device or a replaced drive. So the identity is forgotten: the next call that needs it reads it
    // again, and the tunnel must admit the device again.
    if (answer.value.driveNumber !== known.value.driveNumber) {
      this.#known = undefined;
      return { kind: "unreachable", otherDevice: true, reason: `в кассе другой фискальный накопитель: № ${answer.value.driveNumber}` };
    }
    this.#inspectedIn = connection.folder;
    return { kind: "reached", value: { ...answer.value, record: connection.folder } };
  }

  async perform(document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome> {
    if (attempt === undefined) return refusedWith("документ для кассы за агентом не имеет номера попытки");
    const known = await this.identity(deadline);
    if (known.kind === "unreachable") return { kind: "refused", refusal: notUsable(known) };
    const reached = this.#reach();
    if (reached.kind === "unreachable") return refusedWith(reached.reason);
    const { tunnel, connection } = reached.value;
    // The committed checkpoint names the agent's record of the last inspection. Only the agent with this record may get the attempt.
    if (this.#inspectedIn !== connection.folder) return refusedWith("в магазине запущена другая копия агента");
    const { clock } = this.#services;
    const outcome = await performThroughAgent({ clock, tunnel, place: this.#place }, connection, { document, attempt }, deadline);
    if (outcome.kind === "refused" && outcome.refusal.code === "register-unreachable") this.#known = undefined;
    return outcome;
  }

  async recall(attempt: RecordedAttempt, deadline: Deadline): Promise<Recalled> {
    const reached = this.#reach();
    if (reached.kind === "unreachable") return reached;
    return await recallFrom(reached.value.connection, this.#place.register, attempt, deadline);
  }

  async lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    const reached = this.#reach();
    if (reached.kind === "unreachable") return reached;
    const call = { do: "lookUp", register: this.#place.register, number: documentNumber } as const;
    return this.#seen(told(await ask(reached.value.connection, call, lookUpSchema, deadline)));
  }

  async abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    const reached = this.#reach();
    if (reached.kind === "unreachable") return reached;
    const call = { do: "abandon", register: this.#place.register } as const;
    return this.#seen(told(await ask(reached.value.connection, call, abandonedSchema, deadline)));
  }

  async close(): Promise<void> {
    // Closes nothing: the connection belongs to the agent and serves its other registers too.
  }

  #reach(): Reached<{ tunnel: Tunnel; connection: TunnelConnection }> {
    const { tunnel, maySend } = this.#services;
    if (tunnel === undefined) return { kind: "unreachable", reason: NO_TUNNEL };
    const reach = tunnel.reach(this.#place.agent);
    if (reach.kind === "away") return { kind: "unreachable", reason: reach.reason };
    // Without this check, work from an earlier lease would continue under the token of a later lease.
    if (maySend?.() === false) return { kind: "unreachable", reason: NOT_HELD };
    return { kind: "reached", value: { tunnel, connection: reach.connection } };
  }

  /** Forgets the identity when the device was not reached, because the device may have been replaced. */
  #seen<T extends { kind: string }>(answer: T): T {
    if (answer.kind === "unreachable") this.#known = undefined;
    return answer;
  }
}

/**
 * Examines a register through its agent. Asks for no lease and compares no pinned device. `unreachable`: there is no tunnel, the agent is
 * away, or it gave no usable answer.
 */
export async function examineThroughAgent(
  place: AgentPlace,
  { tunnel, zone, zoneKnown }: Pick<ExaminationServices, "tunnel" | "zone" | "zoneKnown">,
  deadline: Deadline,
): Promise<Examined> {
  const reach = tunnel?.reach(place.agent) ?? { kind: "away", reason: NO_TUNNEL };
  if (reach.kind === "away") return { kind: "unreachable", reason: reach.reason };
  return told(await ask(reach.connection, { do: "examine", register: place.register, zone, zoneKnown }, examinedSchema, deadline));
}

function told<T>(asked: Asked<T>): T | { kind: "unreachable"; reason: string } {
  if (asked.kind === "answer") return asked.value;
  return { kind: "unreachable", reason: asked.kind === "failed" ? wordsOf(asked) : asked.reason };
}
