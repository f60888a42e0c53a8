import { processClock } from "../app/clock.ts";
import { systemChance } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { Failure } from "../kernel/failure.ts";
import { isZone } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import { parseAddress } from "../registers/catalogue.ts";
import type { Examined } from "../registers/examination-schema.ts";
import type { RegisterAddress } from "../registers/protocol.ts";
import type { Tunnel } from "../registers/tunnel.ts";
import { aborted } from "./aborted.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { type PaymentExamination, reportPayments } from "./doctor/payments.ts";
import { reportLines } from "./doctor/report.ts";
import type { ZoneSet } from "./doctor/zone-set.ts";
import { atMost } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- doctor ADDRESS [--json] [--zone ZONE]
       npm run cli -- doctor [--json]

With an ADDRESS it connects to a register, asks it about itself and says what is wrong and what to do. Only questions are sent:
nothing is registered, printed, changed or cancelled. The server must not have the register meanwhile.

Without one it looks at QR payment: reads at each acquirer in use a payment that cannot exist, which proves the credentials
and moves no money, and tells the age of the keys of QR payment tokens and whether their address gives them now. The server may
run meanwhile. It also looks at loyalty: whether verification codes can be sent, without sending one, and what the platform has said
last of each account's programme. And at alerts: whether their channels can be reached, and which messages could not be sent.

  ADDRESS      shtrih-m+tcp://HOST:PORT, shtrih-m+serial:/dev/ttyUSB0?baud=115200 or emulator:NAME (in DATA_DIR),
               or agent:NAME[/REGISTER], which the agent examines for the running server,
               with the options that the point of sale has: systemPassword=30, timeoutMs=3000 …
  --json       the report as one JSON object (src/registers/examination-schema.ts describes it)
  --zone ZONE  where the register stands: Asia/Omsk; without it the clock is compared in the zone that is set for the
               point of sale that has the register, as the server does it, else in TIME_ZONE

Exit code: 0 nothing that stops the register, QR payment, loyalty or alerts was found; 1 something was; 2 it could not be examined: a
wrong address, no answer, or another program that has it.
`;

/**
 * The time limit of an examination. A slow serial line needs about 20 s for all questions, and a device may be silent for about 20 s
 * between two questions.
 */
const LIMIT_MS = 180_000;

export interface ExaminationPlace {
  dataDir: string;
  timeZone: string;
  /** The zone set for a register's canonical address. */
  zoneSetFor(canonical: string): Promise<ZoneSet>;
  /** Opens the tunnel through the running server to registers behind agents. */
  agents(signal: AbortSignal): Promise<{ tunnel: Tunnel; close(): Promise<void> }>;
}

export interface DoctorServices {
  environment(): ExaminationPlace;
  /** Examines QR payment, loyalty and alerts. Throws a `Failure` when the database is missing or has another version. */
  payments(): Promise<PaymentExamination>;
}

export function doctorCommand(services: DoctorServices): Command {
  return {
    name: "doctor",
    summary: "examine a register, or QR payment, and say what is wrong; changes nothing",
    usage: USAGE,
    run: (args, io) => {
      const options = optionsOf(args);
      return options.kind === "payments" ? examinePayments(options.json, services, io) : doctor(options, services, io);
    },
  };
}

interface RegisterOptions {
  kind: "register";
  address: RegisterAddress;
  json: boolean;
  zone?: string;
}

type Options = RegisterOptions | { kind: "payments"; json: boolean };

async function examinePayments(json: boolean, { payments }: DoctorServices, io: CommandIo): Promise<number> {
  try {
    const examination = await Promise.race([payments(), aborted(io.signal)]);
    if (examination !== undefined) return reportPayments(examination, json, io);
    io.err("QR payment was not examined to the end: a signal came first.");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.err(`QR payment could not be examined: ${error.message}`);
  }
  return 2;
}

async function doctor({ address, json, zone }: RegisterOptions, { environment }: DoctorServices, io: CommandIo): Promise<number> {
  const examined = await Promise.race([examine(address, zone, environment, io), aborted(io.signal)]);
  if (examined === undefined) {
    io.err(`${address.canonical} was not examined to the end: a signal came first.`);
    return 2;
  }
  switch (examined.kind) {
    case "held":
      io.err(`${address.canonical} is in use by ${examined.holder}: no two programs may speak to it. Stop that one, or ask its /metrics.`);
      return 2;
    case "unreachable":
      io.err(`${address.canonical} could not be examined: ${examined.reason}`);
      return 2;
    case "examined": {
      const { examination } = examined;
      io.out(json ? JSON.stringify(examination, undefined, 2) : reportLines(examination).join("\n"));
      return examination.findings.some(({ weight }) => weight === "stops-now") ? 1 : 0;
    }
  }
}

async function examine(
  address: RegisterAddress,
  zone: string | undefined,
  environment: DoctorServices["environment"],
  io: CommandIo,
): Promise<Examined> {
  try {
    const { dataDir, timeZone, zoneSetFor, agents } = environment();
    const known = zone ?? (await zoneSet(await zoneSetFor(address.canonical), io));
    const clock = processClock();
    const services = {
      clock,
      chance: systemChance,
      dataDir,
      zone: known ?? timeZone,
      zoneKnown: known !== undefined,
      // The command logs nothing: the report shows the events on the line.
      note() {},
    };
    const deadline = deadlineIn(clock, LIMIT_MS);
    if (address.drivenElsewhere !== true) return await address.examine(services, deadline);
    const { tunnel, close } = await agents(io.signal);
    return await address.examine({ ...services, tunnel }, deadline).finally(close);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "unreachable", reason: error.message };
  }
}

/** How many points of sale with unreadable settings are named. With another SECRET_KEY nearly all are unreadable. */
const MAX_TOLD = 5;

/** Returns the zone, and tells of the points of sale whose settings could not be read. */
function zoneSet({ zone, unreadable }: ZoneSet, io: CommandIo): string | undefined {
  for (const point of unreadable.slice(0, MAX_TOLD)) io.err(`Left out, because its settings cannot be read: ${point}`);
  if (unreadable.length > MAX_TOLD) io.err(`${unreadable.length - MAX_TOLD} more points of sale were left out.`);
  return zone;
}

function optionsOf(args: string[]): Options {
  const { values, positionals } = parsed(args);
  const [text] = positionals;
  atMost(positionals, 1, "the address of one register");
  const { json, zone } = values;
  if (text === undefined) {
    if (zone !== undefined) throw new UsageError("--zone goes with the address of a register: doctor shtrih-m+tcp://HOST:PORT");
    return { kind: "payments", json };
  }
  const address = parseAddress(text);
  if (address.kind === "invalid") throw new UsageError(address.problem);
  if (zone !== undefined && !isZone(zone)) throw new UsageError(`--zone expects a time zone such as Asia/Omsk, not "${zone}"`);
  return { kind: "register", address: address.address, json, ...present({ zone }) };
}

function parsed(args: string[]) {
  return readArguments({ args, allowPositionals: true, options: { json: { type: "boolean", default: false }, zone: { type: "string" } } });
}
