import type { BankPayment } from "../../acquirers/acquirer.ts";
import type { Payment } from "../payment.ts";

/** True when the bank's answer is about another payment, amount or currency (qr-acquirers 1, rule 5). */
export function differs(payment: Pick<Payment, "id" | "amountKopecks">, { amountKopecks, currency, paymentId }: BankPayment): boolean {
  return (
    amountKopecks !== payment.amountKopecks ||
    (currency !== undefined && currency !== "RUB") ||
    (paymentId !== undefined && paymentId !== payment.id)
  );
}
