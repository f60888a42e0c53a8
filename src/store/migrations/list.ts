import { first } from "./001-first.ts";
import { platform } from "./002-platform.ts";
import { returnedSale } from "./007-returned-sale.ts";
import type { Migration } from "./types.ts";

/** In order. Named here rather than found on disk, so that what runs is what was checked. */
export const MIGRATIONS: readonly Migration[] = [first, platform, returnedSale];
