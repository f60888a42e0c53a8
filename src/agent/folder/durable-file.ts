import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { OWNER_ONLY, tighten } from "../../kernel/private-file.ts";

/**
 * Replaces a file that only this user may read. After a kill the file has the whole old or the whole new content. `durable`: the new
 * content is on the disk on return. Without `durable` a machine crash may leave a truncated file.
 */
export function writeWhole(file: string, text: string, { durable }: { durable: boolean }): void {
  const unfinished = `${file}.new`;
  tighten(unfinished);
  const handle = openSync(unfinished, "w", OWNER_ONLY);
  try {
    writeSync(handle, text);
    if (durable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
  // A folder cannot be opened on Windows. It needs no sync there, because NTFS keeps the order of such changes.
  if (durable && process.platform !== "win32") syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
