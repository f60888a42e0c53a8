import type { RecordFormat } from "../../kernel/record-file.ts";

/** A document of 32 768 bytes in Base64, with its facts, is far shorter than `maxBytes`. */
export const DRIVE_RECORD: RecordFormat = { mark: "FDR1", placed: true, maxBytes: 256 * 1024 };
