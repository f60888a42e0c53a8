import type { InstallationKey } from "../../accounts/installation.ts";
import type { ConnectionResult, LoyaltyConnections } from "../../loyalty/connection/connections.ts";
import type { CommandIo } from "../command.ts";

/**
 * Tells the platform the address of the account's programme if the platform does not know it yet, and prints the result. `anew`: sends a
 * new access key in any case. With PORT=0 and without PUBLIC_URL only a running server has the address, and it tells the platform by
 * itself. Exit code 1: the platform did not accept the address, the account does not use loyalty, or a requested new key was not made.
 */
export async function tellLoyalty(
  connections: Pick<LoyaltyConnections, "tell">,
  key: InstallationKey,
  io: CommandIo,
  anew = false,
): Promise<number> {
  return showTold(await connections.tell(key, anew), io, anew);
}

/** Prints the result of telling the platform. Returns the exit code. */
export function showTold(told: ConnectionResult, io: CommandIo, anew = false): number {
  // A missing new key is a failure, even while a running server is telling the platform.
  const isGood = told.kind === "connected" || (!anew && (told.kind === "busy" || told.kind === "no-address"));
  (isGood ? io.out : io.err)(toldText(told));
  return isGood ? 0 : 1;
}

/** Returns the result of telling the platform, in words. */
export function toldText(told: ConnectionResult): string {
  switch (told.kind) {
    case "connected":
      return "The platform knows the loyalty programme";
    case "failed":
      return `The platform was not told of the loyalty programme: ${told.said}. A running server tries again.`;
    case "no-address":
      return "Without PUBLIC_URL a running server tells the platform of the loyalty programme by itself, within some seconds";
    case "not-wanted":
      return "Nothing was told: loyalty is off for this account, or the solution is not in use there";
    case "busy":
      return "A running server is telling the platform of the loyalty programme at this moment; `settings list` shows what it has said";
  }
}

/** Returns the line of `settings list` about the last message to the platform. */
export function connectionLine({ state, said }: { state: string; said: string | null }): string {
  if (state === "connected") return "  loyalty: the platform knows the programme";
  return `  loyalty: the platform was not told${said === null ? "" : `: ${said}`}`;
}
