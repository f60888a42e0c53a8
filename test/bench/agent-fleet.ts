import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { INNER_PROTOCOLS, namedRegisters } from "../../src/agent/commands/options.ts";
import { BackOff } from "../../src/agent/dial/back-off.ts";
import { Dial } from "../../src/agent/dial/dial.ts";
import { wayTo } from "../../src/agent/dial/server-address.ts";
import { dataFolder, identityIn } from "../../src/agent/folder/data-folder.ts";
import { readKey } from "../../src/agent/folder/key.ts";
import { LogTail } from "../../src/agent/log-tail.ts";
import { AttemptRecord } from "../../src/agent/record.ts";
import { AgentService, schemeOf } from "../../src/agent/service/service.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { dialWebSocket } from "../../src/registers/agent/wire/web-socket.ts";
import { fleetNames } from "./agent-folders.ts";

/**
 * `agent-fleet.ts ROOT COUNT`: so many agents in one process, each with its record, its emulator and its connection. `dial URL` connects
 * them, `step` asks for the largest pause before the next try, `close` ends the connections. It prints a line when all are connected.
 */
const [root = "", count = ""] = process.argv.slice(2);
const [clock, chance, log] = [systemClock, systemChance, silentLog];
/** A chance that always gives the largest number, so that a back-off shows its limit. */
const LARGEST = { ...chance, bytes: (length: number) => Buffer.alloc(length, 0xff) };

const agents = fleetNames(Number(count)).map((name) => {
  const folder = dataFolder(join(root, name));
  const record = AttemptRecord.open(folder.record, { clock, chance });
  const registers = namedRegisters(folder, [`main=emulator:${name}`]);
  const inner = {
    clock,
    chance,
    dataDir: folder.path,
    timeZone: "Europe/Moscow",
    protocols: INNER_PROTOCOLS,
    note: () => {},
    tracing: false,
  };
  const logTail = new LogTail();
  const service = new AgentService({ clock, log, logTail, record, registers, inner, gone: (failure) => print({ gone: failure.message }) });
  return { name, folder, record, registers, logTail, service, key: readKey(folder.key), identity: identityIn(folder) };
});
const connected = new Set<string>();
let dials: { dial: Dial; stepMs: number }[] = [];
print({ agents: agents.length, kilobytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) });

for await (const command of createInterface({ input: process.stdin })) {
  const [word, url = ""] = command.split(" ");
  if (word === "dial") {
    dials = agents.map((agent) => started(agent, url));
  } else if (word === "step") {
    print({ stepMs: Math.max(...dials.map(({ stepMs }) => stepMs)), connected: connected.size });
  } else {
    await Promise.all(dials.map(({ dial }) => dial.close()));
    connected.clear();
    print({ closed: true });
  }
}

function started({ name, record, registers, logTail, service, key, identity }: (typeof agents)[number], url: string) {
  const limits = new BackOff(LARGEST);
  const listed = registers.map((register) => ({ name: register.name, scheme: schemeOf(register) }));
  const made = { dial: new Dial(parts()), stepMs: 0 };
  made.dial.start();
  return made;

  function parts(): ConstructorParameters<typeof Dial>[0] {
    return {
      clock,
      chance,
      log,
      logTail,
      record,
      service,
      self: { agent: identity.agent, server: identity.server, boot: chance.uuid(), version: "1.0.0", registers: listed, key },
      url: `${url.replace("http:", "ws:")}/connect`,
      connect: (to) => dialWebSocket(to, { agent: wayTo(to, { proxyEnv: {} }) }),
      ready: () => {
        connected.add(name);
        if (connected.size === agents.length) print({ connected: connected.size });
      },
      lost: () => {
        connected.delete(name);
        made.stepMs = limits.nextMs();
      },
    };
  }
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
