import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { OWNER_ONLY, tighten } from "../../kernel/private-file.ts";

/**
 * Writes a file that only this user may read, in place of an existing file. If the process is killed meanwhile, the file has its whole old
 * or its whole new content. `durable`: the new content is on the disk on return. Without `durable` a crash of the machine may leave a
 * truncated file.
 */
export function writeWhole(file: string, text: string, { durable }: { durable: boolean }): void {
  const unfinished = `${file}.new`;
  tighten(unfinished);
  const handle = openSync(unfinished, "w", OWNER_ONLY);
  try {
    const bytes = Buffer.from(text);
    // A nearly full disk may take only a part of the bytes, without an error. The rest then fails, so no truncated file is renamed.
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    if (durable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
  // On Windows a folder cannot be opened to sync it. NTFS keeps the order of renames, so no sync is needed there.
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
