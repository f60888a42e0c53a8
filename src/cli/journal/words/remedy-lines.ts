import type { Entry } from "../../../journal/entry.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { Remedy } from "../../../operator/explaining/explanation.ts";

/** Advice for refusals that would come again after a mere repeat. A person must act first. */
const ADVICE: Partial<Record<RefusalCode, string>> = {
  "register-went-back":
    "the drive is behind the journal: its memory was lost or restored from a copy, or another machine answers at this address. Have the service centre read the drive, and check the point of sale's binding: settings list",
  "drive-kind-mixed": "bind the point of sale to a register of the other kind, or say drive=any in its address: settings set",
  "register-missing": "bind the point of sale to a register: settings set ACCOUNT STORE register=…",
  "register-unreachable": "see that the register is switched on, connected, and at this address",
  "lane-stopped": "end the doubt that the register's lane waits for: it stands first in journal list",
  "drive-exhausted": "have the drive replaced; then bind the point of sale to the register again if its address changes",
  "operator-queue-blocked": "get the register's connection to the data operator working; it takes documents again once they are sent",
  "not-correctable": "see by journal explain what became of the document that was to be corrected: it has changed since",
  "document-too-large": "the right data are too many for one receipt: make its texts shorter",
  "shift-closed": "open the shift at the till, while the server runs",
  "refused-too-often": "see by journal list --state refused why the register refuses operations of this kind, and end that",
  "shift-foreign":
    "another account has its shift open on this register: it takes this document once that account has closed, or somebody closes the shift at the register itself; one register for each account ends it for good: settings set",
  "cash-short": "put the missing cash into the register's drawer, by a slip",
  "no-paper": "put paper into the register and close its cover",
  "clock-wrong": "set the register's clock; it may not be behind its last document",
};

/** Returns what to do before a refused document is repeated. */
export function remedyLines({ refusal }: Entry, remedy: Remedy): string[] {
  const before = (refusal === undefined ? undefined : ADVICE[refusal.code]) ?? "nothing here";
  switch (remedy.kind) {
    case "same-document": {
      const { id, key, state } = remedy.other;
      return [
        `The same document came under the other id type as entry ${id} (${key.documentId}, ${state}): this one is not registered beside it.`,
        `What to do: see by journal explain ${id} that it is done. If both are sales of their own, they need different names or moments.`,
      ];
    }
    case "correct-again":
      return [
        `What to do: ${before}. Then say journal correct ${remedy.entry?.id ?? remedy.documentId} again, with what was said for it: what stands in the drive is not registered twice.`,
      ];
    case "repeat": {
      const repeat =
        refusal?.code === "register-went-back" ? "Until then every document is refused there" : "A repeat of the document is a new attempt";
      return [`What to do: ${before}. ${repeat}.`];
    }
  }
}
