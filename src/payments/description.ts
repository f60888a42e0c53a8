/** The longest description that any acquirer takes. Each client cuts it to its acquirer's length (qr-acquirers 10). */
const MAX_LENGTH = 140;

/** The text that the buyer's bank shows. `{store}` and `{receipt}` of the template are replaced; no data of the buyer is put in. */
export function descriptionOf(template: string, { store, receipt }: { store: string; receipt: string }): string {
  const text = template.replaceAll("{store}", store).replaceAll("{receipt}", receipt);
  const tidy = text.replace(/^[\s,]+|[\s,]+$/g, "");
  return [...tidy].slice(0, MAX_LENGTH).join("");
}
