import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/** The libraries that an agent cannot do without, loaded with the compile cache that an agent has. Prints a line, and waits for ever. */
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url)));
const loaded = await Promise.all([import("ws"), import("serialport"), import("better-sqlite3")]);
flushCompileCache();
process.stdout.write(`${JSON.stringify({ loaded: loaded.length })}\n`);
process.stdin.resume();
