/** The longest description of any acquirer. Each client cuts the description to the length of its acquirer (qr-acquirers 10). */
const MAX_LENGTH = 140;

/** The text that the buyer's bank shows. Replaces `{store}` and `{receipt}` of the template; the text has no data of the buyer. */
export function descriptionOf(template: string, { store, receipt }: { store: string; receipt: string }): string {
  const text = template.replaceAll("{store}", store).replaceAll("{receipt}", receipt);
  const tidy = text.replace(/^[\s,]+|[\s,]+$/g, "");
  return [...tidy].slice(0, MAX_LENGTH).join("");
}
