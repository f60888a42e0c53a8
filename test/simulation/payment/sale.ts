import { ACCOUNT, APP } from "../../support/payment-process.ts";
import type { Operation } from "./operation.ts";
import type { PaymentWorld } from "./world.ts";

/** Adds the sale that the till has made: the journal gets a done sale with the sum that was paid by QR. */
export async function insertSale({ storage, wallMs }: PaymentWorld, { id, storeId, amountKopecks }: Operation): Promise<void> {
  await storage.counted.commit((tx) =>
    tx
      .insertInto("entries")
      .values({
        app_id: APP,
        account_id: ACCOUNT,
        operation: "sale",
        document_id: id,
        id_type: "uuid",
        store_id: storeId,
        register: "emulator:simulated",
        state: "done",
        attempt: 1,
        content_hash: id,
        twin: id,
        paper: "80",
        accepted_at_ms: wallMs,
        moved_at_ms: wallMs,
        content: "{}",
        document: "{}",
        checkpoint: "{}",
        facts: "{}",
        refusal: null,
        doubt: null,
        drive_number: null,
        shift_number: null,
        original_id: null,
        qr_kopecks: amountKopecks,
      })
      .execute(),
  );
}
