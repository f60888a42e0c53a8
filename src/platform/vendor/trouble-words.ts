import type { Trouble } from "./line.ts";
import type { VendorReply } from "./reply.ts";

/** The words for a failed call to the platform, for the person who runs the server. */
export function troubleWords(trouble: Trouble): string {
  switch (trouble.kind) {
    case "cancelled":
      return "telling the platform was given up";
    case "unreachable":
      return `the platform cannot be reached (${trouble.reason})`;
    case "unavailable":
      return `the platform cannot be reached (answered ${saidIn(trouble.reply)})`;
    case "unauthorized":
      return `the platform does not take the token of this server (${saidIn(trouble.reply)}): is the secretKey in CREDENTIALS right, and this machine's clock?`;
    case "refused":
      // An error of the platform has at least one error object. An answer without one comes from another server.
      return `the platform refused (${saidIn(trouble.reply)})${trouble.reply.errors.length > 0 ? "" : ": is PLATFORM_APPS_URL its address?"}`;
  }
}

/** The words for a 404 in the platform's own form. */
export function notInstalledWords(reply: VendorReply): string {
  return `the platform does not know this installation (${saidIn(reply)})`;
}

/** Status and words of an answer. */
export function saidIn({ status, words }: VendorReply): string {
  return words === "" ? String(status) : `${status}: ${words}`;
}
