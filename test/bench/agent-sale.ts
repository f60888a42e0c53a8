import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import { AgentRegister } from "../../src/registers/agent/register.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Outcome, Register } from "../../src/registers/register.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { AgentChild } from "./agent-child.ts";
import { BenchHub } from "./agent-hub.ts";
import { median, medianRow, type Row, rounded, withFloor } from "./row.ts";
import { saleOfTen } from "./serial-sale.ts";

const ROUNDS = 7;
const SALES = 60;
const INSPECTIONS = 300;
const LIMIT_MS = 30_000;
const NAME = "shop";
/** The characters of a call's frames besides the document and the outcome. */
const FRAME_CHARACTERS = 250;
const SHORT = 20;
/** About the number of characters in the answer to an inspection. */
const STATE_CHARACTERS = 700;

/** A sale and an inspection through an agent's process, compared with the same work at the same kind of register in this process. */
export async function agentSaleRows(note: (text: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-agent-"));
  const server = await BenchHub.open({ folder });
  const wire = await BareWire.open();
  const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: folder, note: () => {} });
  const file = openSync(join(folder, "appends"), "w");
  let agent: AgentChild | undefined;
  try {
    const { data } = await server.enrol(NAME, folder);
    agent = await AgentChild.startAgent(data);
    await server.hub.again(NAME, 0, deadlineIn(systemClock, LIMIT_MS));
    const place = { agent: NAME, register: "main", text: NAME };
    const registers = {
      direct: rack.at("emulator:direct", "Europe/Moscow"),
      behind: new AgentRegister(place, { clock: systemClock, tunnel: server.hub }),
    };
    for (const register of Object.values(registers)) {
      await inspect(register);
      await perform(register, shiftDocument("open-shift"));
    }
    return await measure(registers, wire, (text) => append(file, text), note);
  } finally {
    await agent?.end();
    await rack.close();
    await server.close();
    await wire.close();
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

interface Compared {
  direct: Register;
  behind: Register;
}

/** Value and floor are measured in turns, so that a busy machine affects both. The first round warms up. */
async function measure(
  { direct, behind }: Compared,
  wire: BareWire,
  appendTo: (text: string) => void,
  note: (text: string) => void,
): Promise<Row[]> {
  const sales: ReturnType<typeof withFloor>[] = [];
  const inspections: ReturnType<typeof withFloor>[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const looked = await inTurns(INSPECTIONS, () => inspect(behind), {
      direct: () => inspect(direct),
      trips: () => wire.trip(FRAME_CHARACTERS, STATE_CHARACTERS),
    });
    const document = saleOfTen();
    const intent = JSON.stringify(document);
    let outcome = JSON.stringify(await perform(direct, document));
    const sold = await inTurns(SALES, () => perform(behind, document), {
      direct: async () => {
        outcome = JSON.stringify(await perform(direct, document));
      },
      trips: async () => {
        await wire.trip(FRAME_CHARACTERS + intent.length, SHORT);
        await wire.trip(SHORT, SHORT + outcome.length);
      },
      appends: async () => {
        appendTo(intent);
        appendTo(outcome);
      },
    });
    if (round === 0) continue;
    sales.push(withFloor({ name: "agent.sale", value: rounded(sold.value), unit: "ms" }, sold.floor));
    inspections.push(withFloor({ name: "agent.inspect", value: rounded(looked.value), unit: "ms" }, looked.floor));
    note(`round ${round}: sale ${inWords(sold)}; inspection ${inWords(looked)}`);
  }
  return [medianRow(sales), medianRow(inspections)];
}

function inWords(times: Readonly<Record<string, number>>): string {
  return Object.entries(times)
    .map(([name, ms]) => `${name} ${rounded(ms)}`)
    .join(", ");
}

/** The milliseconds of each kind of work, and of a turn's work of the floor together. */
type Times<Name extends string> = Record<Name | "value" | "floor", number>;

/**
 * Does each kind of work so many times, in turns. Returns the medians. A sum of medians is not the median of the sums, so the floor is
 * added up in each turn: one flush in three may take ten times as long as the others.
 */
async function inTurns<Name extends string>(
  times: number,
  value: () => Promise<unknown>,
  floor: Record<Name, () => Promise<unknown>>,
): Promise<Times<Name>> {
  const works: [string, () => Promise<unknown>][] = [["value", value], ...Object.entries<() => Promise<unknown>>(floor)];
  const taken = new Map<string, number[]>([...works.map(([name]): [string, number[]] => [name, []]), ["floor", []]]);
  for (let turn = 0; turn < times; turn += 1) {
    let sumMs = 0;
    for (const [name, work] of works) {
      const startedMs = systemClock.monotonicMs();
      await work();
      const tookMs = systemClock.monotonicMs() - startedMs;
      taken.get(name)?.push(tookMs);
      if (name !== "value") sumMs += tookMs;
    }
    taken.get("floor")?.push(sumMs);
  }
  return Object.fromEntries([...taken].map(([name, values]) => [name, median(values)])) as Times<Name>;
}

async function inspect(register: Register): Promise<void> {
  const seen = await register.inspect(deadlineIn(systemClock, LIMIT_MS));
  if (seen.kind === "unreachable") throw new Error(seen.reason);
}

async function perform(register: Register, document: RegisterDocument): Promise<Outcome> {
  const attempt = { id: systemChance.uuid(), mayRegister: async () => true };
  const outcome = await register.perform(document, deadlineIn(systemClock, LIMIT_MS), attempt);
  if (outcome.kind !== "done") throw new Error(`${document.kind}: ${JSON.stringify(outcome)}`);
  return outcome;
}

function append(file: number, text: string): void {
  writeSync(file, text);
  fdatasyncSync(file);
}

/** One bare WebSocket connection to a process that answers. */
class BareWire {
  readonly #server: WebSocketServer;
  readonly #client: AgentChild;
  readonly #socket: WebSocket;

  private constructor(server: WebSocketServer, client: AgentChild, socket: WebSocket) {
    this.#server = server;
    this.#client = client;
    this.#socket = socket;
  }

  static async open(): Promise<BareWire> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await new Promise((resolve) => server.once("listening", resolve));
    const client = AgentChild.start("agent-bare-clients.ts", "1");
    await client.line();
    const arrived = new Promise<WebSocket>((resolve) => server.once("connection", resolve));
    await client.ask(`dial http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return new BareWire(server, client, await arrived);
  }

  /** Sends so many characters, and returns when so many others have come back. */
  trip(characters: number, back: number): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once("message", () => resolve());
      this.#socket.send(`${back}:`.padEnd(characters, "x"));
    });
  }

  async close(): Promise<void> {
    await this.#client.end();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
