/** The largest number of characters that are read of a code's text. A QR code holds fewer than 3,000 bytes. */
const MAX_TEXT = 4_096;

/** Whether the text of a code carries a sum (`sum=`, in kopecks) that is not the payment's (qr-acquirers 1, rule 6). */
export function asksForAnotherSum(qrText: string, amountKopecks: number): boolean {
  const sums = qrText.slice(0, MAX_TEXT).matchAll(/[?&;#]sum=([^&;#]*)/gi);
  return [...sums].some(([, sum]) => sum !== String(amountKopecks));
}
