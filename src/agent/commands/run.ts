import { type Clock, pause, systemChance } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { FileLock } from "../../kernel/folder-lock.ts";
import { dialWebSocket } from "../../registers/agent/wire/web-socket.ts";
import { type AgentCommand, type AgentIo, readAgentArguments } from "../command-line.ts";
import { Dial } from "../dial/dial.ts";
import { type ServerAddress, wayTo } from "../dial/server-address.ts";
import { agentFailure } from "../failures.ts";
import { type DataFolder, identityIn, lockFolderOf } from "../folder/data-folder.ts";
import { readKey } from "../folder/key.ts";
import type { AgentIdentity } from "../folder/stored-schema.ts";
import { LogTail } from "../log-tail.ts";
import { createLog } from "../logging.ts";
import { giveBackMemory } from "../memory.ts";
import { AttemptRecord } from "../record.ts";
import type { NamedRegister } from "../service/inner-register.ts";
import { AgentService, schemeOf } from "../service/service.ts";
import { StatusFile } from "../status-file.ts";
import { VERSION } from "../version.ts";
import {
  caOf,
  INNER_PROTOCOLS,
  namedRegisters,
  PLACE_OPTIONS,
  type Place,
  placeOf,
  REGISTER_OPTIONS,
  serverOf,
  WAY_OPTIONS,
} from "./options.ts";

/**
 * How often the agent checks that its data folder still exists and that its record was not replaced. Each write to the record checks this
 * too, but an idle agent writes nothing.
 */
const FOLDER_ROUND_MS = 2_000;
/**
 * The command `status` of another process holds the lock of the folder for a moment, so this process tries several times to get the lock.
 */
const LOCK_TRIES = 5;
const LOCK_PAUSE_MS = 100;

export const runAgent: AgentCommand = {
  name: "run",
  async run(args, io) {
    const { values } = readAgentArguments({ args, options: { ...PLACE_OPTIONS, ...REGISTER_OPTIONS, ...WAY_OPTIONS } });
    const place = placeOf(values);
    const ca = caOf(values.ca);
    const registers = namedRegisters(place.folder, values.register);
    const lock = await takeFolder(place);
    try {
      const identity = identityIn(place.folder);
      const address = serverOf(identity.url, values.plain, place.config);
      return await work({ ...place, identity, address, ...ca, registers }, io);
    } finally {
      lock.release();
    }
  },
};

interface Work extends Place {
  identity: AgentIdentity;
  address: ServerAddress;
  ca?: string;
  registers: NamedRegister[];
}

async function takeFolder({ folder, clock }: Place): Promise<FileLock> {
  for (let left = LOCK_TRIES; ; left -= 1) {
    try {
      return lockFolderOf(folder);
    } catch (error) {
      if (left <= 1 || !(error instanceof Failure) || error.code !== "folder-held") throw error;
    }
    await pause(clock, LOCK_PAUSE_MS);
  }
}

/** Works until the signal is aborted, or until the data folder is gone or the record was replaced. Returns the exit code. */
async function work(parts: Work, io: AgentIo): Promise<number> {
  const { config, folder, clock, registers } = parts;
  const logTail = new LogTail();
  const log = createLog({ level: config.logLevel, written: (line) => logTail.add(line) });
  const record = AttemptRecord.open(folder.record, { clock, chance: systemChance });
  if (record.wasCopied)
    log.warn({ folder: folder.path }, "the data folder is a copy, or its record is an older one: the server must accept it");
  const end = new End(io.signal);
  const note = (level: "trace" | "warn", text: string, values: Record<string, unknown>) => log[level](values, text);
  const inner = {
    clock,
    chance: systemChance,
    dataDir: folder.path,
    timeZone: config.timeZone,
    protocols: INNER_PROTOCOLS,
    note,
    tracing: config.logLevel === "trace",
  };
  const service = new AgentService({ clock, log, logTail, record, registers, inner, gone: (failure) => end.gone(failure) });
  const status = new StatusFile(folder, { clock, log, views: () => service.views() });
  const dial = dialOf(parts, { log, logTail, record, service, status, welcomed: (line) => io.out(line) });
  const watch = watchFolder(record, clock, folder, end);
  giveBackMemory();
  status.start();
  dial.start();
  const failure = await end.reached;
  if (failure === undefined) {
    log.info({}, "the agent takes no new call and ends");
    await service.leave();
  }
  watch();
  await dial.close();
  await service.close();
  status.close();
  record.close();
  if (failure === undefined) return 0;
  io.err(failure.message);
  return 1;
}

interface Around {
  log: ReturnType<typeof createLog>;
  logTail: LogTail;
  record: AttemptRecord;
  service: AgentService;
  status: StatusFile;
  welcomed(line: string): void;
}

function dialOf({ identity, address, ca, config, folder, clock, registers }: Work, around: Around): Dial {
  const { log, status, welcomed } = around;
  const { agent, server } = identity;
  const listed = registers.map((register) => ({ name: register.name, scheme: schemeOf(register) }));
  let isFirst = true;
  return new Dial({
    ...around,
    clock,
    chance: systemChance,
    self: { agent, server, boot: systemChance.uuid(), version: VERSION, registers: listed, key: readKey(folder.key) },
    url: address.connectUrl,
    connect: (url, signal) => {
      const way = wayTo(url, { ...(ca === undefined ? {} : { ca }), proxyEnv: config.proxyEnv });
      // An unfinished attempt to connect would keep the process alive. So an abort destroys `way`, the HTTP agent of this attempt. An
      // established connection does not need `way` any more.
      const giveUp = () => way.destroy();
      signal.addEventListener("abort", giveUp, { once: true });
      return dialWebSocket(url, { agent: way, ...(ca === undefined ? {} : { ca }) }).finally(() =>
        signal.removeEventListener("abort", giveUp),
      );
    },
    ready: (epoch) => {
      status.connected();
      log.info({ server, epoch }, "connected");
      if (isFirst) welcomed(JSON.stringify({ agent, server, epoch, registers: listed }));
      isFirst = false;
    },
    lost: (problem) => {
      if (status.lost(problem)) log.warn({ reason: problem }, "not connected");
    },
  });
}

/**
 * Ends the agent when its folder was removed or its record replaced, because writes to a removed file are lost. Returns a function that
 * stops the watch.
 */
function watchFolder(record: AttemptRecord, clock: Clock, folder: DataFolder, end: End): () => void {
  let cancel = () => {};
  const look = () => {
    if (record.inPlace()) cancel = clock.after(FOLDER_ROUND_MS, look);
    else end.gone(agentFailure("folder-gone", "caller", `the data folder ${folder.path} is gone, or its record was replaced`));
  };
  cancel = clock.after(FOLDER_ROUND_MS, look);
  return () => cancel();
}

class End {
  readonly reached: Promise<Failure | undefined>;
  #resolve: (failure: Failure | undefined) => void = () => {};

  constructor(signal: AbortSignal) {
    this.reached = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (signal.aborted) this.#resolve(undefined);
    signal.addEventListener("abort", () => this.#resolve(undefined), { once: true });
  }

  gone(failure: Failure): void {
    this.#resolve(failure);
  }
}
