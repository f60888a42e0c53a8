import type { RecordFormat } from "../../kernel/record-file.ts";

/** The format of a record in a drive's file. A document of 32 768 bytes in Base64, with its facts, is far shorter than `maxBytes`. */
export const DRIVE_RECORD: RecordFormat = { mark: "FDR1", placed: true, maxBytes: 256 * 1024 };
