import { ZipArchive } from "archiver";
import { type WallTime, wallAsUtcMs } from "../kernel/moment.ts";

/** The name of the only entry (interface 5). */
const ENTRY = "receipt.pdf";

/**
 * Returns a zip with the PDF as its only entry. The entry is stored without compression, because the PDF's contents are compressed already.
 * The entry has the document's time, so that the same document gives the same bytes.
 */
export async function archiveOf(pdf: Buffer, time: WallTime): Promise<Buffer> {
  const archive = new ZipArchive({ store: true });
  const chunks: Buffer[] = [];
  const finished = new Promise<void>((resolve, reject) => {
    archive.on("data", (chunk: Buffer) => chunks.push(chunk));
    archive.on("end", resolve);
    archive.on("error", reject);
    archive.on("warning", reject);
  });
  archive.append(pdf, { name: ENTRY, date: new Date(wallAsUtcMs(time)), mode: 0o644 });
  await Promise.all([archive.finalize(), finished]);
  return Buffer.concat(chunks);
}
