import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../kernel/failure.ts";
import { writeTrusted } from "../../kernel/private-file.ts";
import { type AgentCommand, readAgentArguments, wrongOption } from "../command-line.ts";
import { agentFailure } from "../failures.ts";
import { PLACE_OPTIONS, placeOf, WAY_OPTIONS } from "./options.ts";

const SERVICE = "fiscal-agent";
const UNIT = `/etc/systemd/system/${SERVICE}.service`;
const PROGRAM = fileURLToPath(new URL("../../agent.ts", import.meta.url));
/**
 * The folder of the compile cache that src/agent.ts turns on. The service also gets the folder in the variable NODE_COMPILE_CACHE, so that
 * Node caches src/agent.ts itself there too.
 */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/node-compile", import.meta.url));
/** An agent makes little garbage, so a small young generation saves memory. */
const SMALL_HEAP = "--max-semi-space-size=2";
/** How long the process may take to stop. After that the service manager kills it. A document may take minutes on a slow register. */
const STOP_SECONDS = 180;

/**
 * Installs the agent as a service that starts with the machine. On Linux the command also starts the service now. On Windows the command
 * only writes a service definition for WinSW, a tool that runs any program as a Windows service. With `--print` the command only prints the
 * definition.
 */
export const installCommand: AgentCommand = {
  name: "install",
  async run(args, io) {
    const options = { ...PLACE_OPTIONS, ...WAY_OPTIONS, print: { type: "boolean", default: false }, user: { type: "string" } } as const;
    const { values } = readAgentArguments({ args, options });
    const { folder, config } = placeOf(values);
    if (values.user !== undefined && !/^[A-Za-z0-9_.\\@-]{1,64}$/.test(values.user))
      throw wrongOption(`--user is the name of a user, not "${values.user}"`);
    const ca = values.ca === undefined ? [] : ["--ca", resolve(values.ca)];
    const command = [process.execPath, SMALL_HEAP, PROGRAM, "run", "--data", folder.path, ...ca, ...(values.plain ? ["--plain"] : [])];
    const environment = { NODE_COMPILE_CACHE: COMPILED, ...config.proxyEnv };
    const service = { command, ...(values.user === undefined ? {} : { user: values.user }), environment };
    const isWindows = process.platform === "win32";
    const text = isWindows ? windowsService(service) : systemdUnit(service);
    if (values.print) {
      io.out(text.trimEnd());
      return 0;
    }
    const file = isWindows ? join(folder.path, `${SERVICE}.xml`) : UNIT;
    writeService(file, text);
    if (isWindows) io.err(`${file} is written. Put WinSW beside it as ${SERVICE}.exe and run: ${SERVICE}.exe install`);
    else {
      systemctl("daemon-reload");
      systemctl("enable", "--now", SERVICE);
      io.err(`${SERVICE} is installed and started: ${file}`);
    }
    return 0;
  },
};

/** Removes the service. On Windows the command removes only the service definition. The data folder stays. */
export const uninstallCommand: AgentCommand = {
  name: "uninstall",
  async run(args, io) {
    const { values } = readAgentArguments({ args, options: PLACE_OPTIONS });
    const file = process.platform === "win32" ? join(placeOf(values).folder.path, `${SERVICE}.xml`) : UNIT;
    if (!existsSync(file)) throw agentFailure("service-failed", "caller", `${SERVICE} is not installed: there is no ${file}`);
    if (process.platform === "win32") {
      rmSync(file);
      io.err(`${file} is removed. Run before or after it: ${SERVICE}.exe uninstall`);
      return 0;
    }
    systemctl("disable", "--now", SERVICE);
    rmSync(file);
    systemctl("daemon-reload");
    io.err(`${SERVICE} is removed; the data folder stays`);
    return 0;
  },
};

interface Service {
  command: readonly string[];
  user?: string;
  environment: Record<string, string>;
}

function systemdUnit({ command, user, environment }: Service): string {
  return `[Unit]
Description=Shop agent of the fiscalization server
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${command.map(commandWord).join(" ")}
WorkingDirectory=${dirname(dirname(PROGRAM))}
${Object.entries(environment)
  .map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`)
  .join("")}${user === undefined ? "" : `User=${user}\n`}# Serial ports belong to this group.
SupplementaryGroups=dialout
Restart=always
RestartSec=5
KillSignal=SIGTERM
TimeoutStopSec=${STOP_SECONDS}
NoNewPrivileges=true

[Install]
WantedBy=multi-user.target
`;
}

/** Quotes a word of a command. The character $ is special only in commands, not in variables. */
function commandWord(word: string): string {
  return unitWord(word).replace(/\$/g, "$$$$");
}

/** Quotes a word of a systemd unit file. The character % is special in the whole file. */
function unitWord(word: string): string {
  return `"${word.replace(/[\\"]/g, "\\$&").replace(/%/g, "%%")}"`;
}

function windowsService({ command, user, environment }: Service): string {
  const [program = "", ...args] = command;
  const variables = Object.entries(environment).map(([name, value]) => `  <env name="${xml(name)}" value="${xml(value)}"/>\n`);
  return `<service>
  <id>${SERVICE}</id>
  <name>Shop agent of the fiscalization server</name>
  <description>Drives the fiscal registers of this shop for a distant server.</description>
  <executable>${xml(program)}</executable>
  <arguments>${xml(args.map((arg) => `"${arg}"`).join(" "))}</arguments>
  <workingdirectory>${xml(dirname(dirname(PROGRAM)))}</workingdirectory>
${variables.join("")}${user === undefined ? "" : `  <serviceaccount><username>${xml(user)}</username><prompt>dialog</prompt></serviceaccount>\n`}  <startmode>Automatic</startmode>
  <onfailure action="restart" delay="5 sec"/>
  <stoptimeout>${STOP_SECONDS} sec</stoptimeout>
  <log mode="roll-by-size"/>
</service>
`;
}

function xml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function writeService(file: string, text: string): void {
  try {
    writeTrusted(file, text);
  } catch (error) {
    throw agentFailure("service-failed", "caller", `${file} cannot be written: ${messageOf(error)}; run it as root, or use --print`, {
      cause: error,
    });
  }
}

function systemctl(...args: string[]): void {
  try {
    execFileSync("systemctl", args, { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    throw agentFailure("service-failed", "dependency", `systemctl ${args.join(" ")} has failed: ${messageOf(error)}`, { cause: error });
  }
}
