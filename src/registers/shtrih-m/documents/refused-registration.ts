import type { Refusal } from "../../../model/refusal.ts";
import { isDoubtful, wordsOf } from "../refusals/refusals.ts";
import { inDoubt, type Performed, refuse } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { abandonInTime } from "./abandon.ts";
import { madeSince } from "./newest-document.ts";

/**
 * Returns the outcome after a refused registering command. Cancels an open document and asks the drive whether a document was made. If no
 * document was made but the cancelling failed, or the drive's answer is missing, the error code decides between doubt and refusal. Calls
 * `noteOpen` if the outcome is a refusal and the cancelling failed.
 */
export async function refusedAtRegistration(
  device: ReadyDevice,
  { error, refusal }: { error: number; refusal: Refusal },
  noteOpen: () => void,
): Promise<Performed> {
  const abandoned = await abandonInTime(device.connection);
  const made = await madeSince(device);
  if (made === "something") return inDoubt({ code: "refusal-doubtful", words: wordsOf(error), seen: "document-made" });
  if (made === "nothing" && abandoned.kind === "reached") return refuse(refusal);
  if (isDoubtful(error)) return inDoubt({ code: "refusal-doubtful", words: wordsOf(error), seen: "silent" });
  if (abandoned.kind !== "reached") noteOpen();
  return refuse(refusal);
}
