import { fileURLToPath } from "node:url";

/**
 * Programs that tests start compile the same sources each time: what one has compiled the next ones find
 * here, which halves their start. Node looks at every file's content, so it is never stale.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url)) };
