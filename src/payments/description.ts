/** The longest description of any acquirer. Each client cuts the description to the length of its acquirer (qr-acquirers 10). */
const MAX_LENGTH = 140;

/**
 * The text that the buyer's bank shows: the template (setting `qrDescription`) with the name of the point of sale for `{store}` and the
 * operation's id for `{receipt}`.
 */
export function descriptionOf(template: string, { store, receipt }: { store: string; receipt: string }): string {
  // In one pass and by a function: a name may contain `{receipt}`, or `$&`, which a replacement text would interpret.
  const text = template.replaceAll(/\{(store|receipt)\}/g, (_, name) => (name === "store" ? store : receipt));
  const tidy = text.replace(/^[\s,]+|[\s,]+$/g, "");
  return [...tidy].slice(0, MAX_LENGTH).join("");
}
