/** Most characters of a code's text that are looked at. A QR code holds fewer than 3,000 bytes. */
const MAX_TEXT = 4_096;

/** Whether the text of a code carries a sum (`sum=`, in kopecks) that is not the payment's (qr-acquirers 1, rule 6). */
export function asksForAnotherSum(qrText: string, amountKopecks: number): boolean {
  const text = qrText.slice(0, MAX_TEXT);
  const query = text.slice(text.indexOf("?") + 1).split("#", 1)[0] ?? "";
  const sums = new URLSearchParams(query).getAll("sum");
  return sums.some((sum) => sum !== String(amountKopecks));
}
