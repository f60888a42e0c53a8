/** The maximum number of characters read of a code's text. A QR code has fewer than 3,000 bytes. */
const MAX_TEXT = 4_096;

/** True when a code's text contains another sum (`sum=`, in kopecks) than the payment's (qr-acquirers 1, rule 6). */
export function asksForAnotherSum(qrText: string, amountKopecks: number): boolean {
  const sums = qrText.slice(0, MAX_TEXT).matchAll(/[?&;#]sum=([^&;#]*)/gi);
  return [...sums].some(([, sum]) => sum !== String(amountKopecks));
}
