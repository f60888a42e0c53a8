import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/** Loads the libraries that an agent needs, with the compile cache of an agent. Prints a line, and waits for ever. */
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url)));
const loaded = await Promise.all([import("ws"), import("serialport"), import("better-sqlite3")]);
flushCompileCache();
process.stdout.write(`${JSON.stringify({ loaded: loaded.length })}\n`);
process.stdin.resume();
