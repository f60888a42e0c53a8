import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../kernel/failure.ts";
import { writeTrusted } from "../../kernel/private-file.ts";
import { type AgentCommand, readAgentArguments, wrongOption } from "../command-line.ts";
import { agentFailure } from "../failures.ts";
import { writeWhole } from "../folder/durable-file.ts";
import { PLACE_OPTIONS, placeOf, WAY_OPTIONS } from "./options.ts";
import { environmentText, PROGRAM, SERVICE, systemdUnit, windowsService } from "./service-definition.ts";

const UNIT = `/etc/systemd/system/${SERVICE}.service`;
/** The variables for proxies on Linux, which may contain a password. Only root may read the file; systemd reads it as root. */
const PROXY_FILE = `/etc/${SERVICE}.env`;
/**
 * The folder of the compile cache that src/agent.ts turns on. The service also gets the folder in the variable NODE_COMPILE_CACHE, so that
 * Node caches src/agent.ts itself there too.
 */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/node-compile", import.meta.url));
/** An agent makes little garbage, so a small young generation saves memory. */
const SMALL_HEAP = "--max-semi-space-size=2";

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
    const service = { command, ...(values.user === undefined ? {} : { user: values.user }) };
    const isWindows = process.platform === "win32";
    const cached = { NODE_COMPILE_CACHE: COMPILED };
    const proxies = isWindows ? "" : environmentText(config.proxyEnv);
    const text = isWindows
      ? windowsService({ ...service, environment: { ...cached, ...config.proxyEnv } })
      : systemdUnit({ ...service, environment: cached }, proxies === "" ? undefined : PROXY_FILE);
    if (values.print) {
      io.out(text.trimEnd());
      if (proxies !== "") io.err(`the service needs ${PROXY_FILE}, which only root may read:\n${proxies.trimEnd()}`);
      return 0;
    }
    const file = isWindows ? join(folder.path, `${SERVICE}.xml`) : UNIT;
    if (!isWindows) written(PROXY_FILE, () => storeProxies(proxies));
    written(file, () => writeTrusted(file, text));
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
    rmSync(PROXY_FILE, { force: true });
    systemctl("daemon-reload");
    io.err(`${SERVICE} is removed; the data folder stays`);
    return 0;
  },
};

/** An earlier installation may have left the file, with a password. */
function storeProxies(proxies: string): void {
  if (proxies === "") rmSync(PROXY_FILE, { force: true });
  else writeWhole(PROXY_FILE, proxies, { durable: true });
}

function written(file: string, write: () => void): void {
  try {
    write();
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
