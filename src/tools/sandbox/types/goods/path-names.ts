import type { Account } from "../../account/account.ts";
import { type Reference, referenceIn, type Value } from "../../values/stored.ts";

const IN_FOLDERS = ["product", "service", "bundle"];

/** Returns the path of objects in a folder: the folder names from the root, like `Чай/Зелёный`. Empty without a folder. */
export function pathNameIn(folder: Value | undefined, account: Account): string {
  const stored = account.objects.pointedBy(folder);
  return stored === undefined ? "" : joined(String(stored.values.pathName ?? ""), String(stored.values.name));
}

export function joined(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** Writes the new path to all objects and folders inside a folder. */
export function movePath(folder: Reference, path: string, account: Account): void {
  const uses = account.uses.of(folder);
  for (const type of IN_FOLDERS) {
    if (!uses.has(type)) continue;
    for (const stored of account.objects.all(type).values()) {
      if (referenceIn(stored.values.productFolder)?.id !== folder.id) continue;
      account.put({ ...stored, values: { ...stored.values, pathName: path } });
    }
  }
  if (!uses.has("productfolder")) return;
  for (const child of [...account.objects.all("productfolder").values()]) {
    if (referenceIn(child.values.productFolder)?.id !== folder.id) continue;
    account.put({ ...child, values: { ...child.values, pathName: path } });
    movePath(child, joined(path, String(child.values.name)), account);
  }
}
