/** Longest description of any acquirer; each cuts it to its own length (qr-acquirers 10). */
const MAX_LENGTH = 140;

/** What the buyer's bank shows: `{store}` and `{receipt}` of the template are filled in, and nothing of the buyer. */
export function descriptionOf(template: string, { store, receipt }: { store: string; receipt: string }): string {
  const text = template.replaceAll("{store}", store).replaceAll("{receipt}", receipt);
  const tidy = text.replace(/^[\s,]+|[\s,]+$/g, "");
  return [...tidy].slice(0, MAX_LENGTH).join("");
}
