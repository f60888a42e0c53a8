import { fileURLToPath } from "node:url";

/**
 * Programs that tests start compile the same sources each time. With this cache the later ones use the compiled code of
 * the first, which halves their start. Node compares the content of every file, so the cache is never out of date.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url)) };
