import { registerHooks } from "node:module";

/**
 * Loaded before a server (`node --import`), this module makes it draw every receipt in the plain way, as the baseline
 * of the signed sale.
 */
const DRAWING = new URL("../../src/receipts/draw.ts", import.meta.url).href;
const PLAIN = new URL("plain-receipt.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return resolved.url === DRAWING ? { ...resolved, url: PLAIN } : resolved;
  },
});
