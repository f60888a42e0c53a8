import type { Finding } from "../../loyalty/ledger/verify/finding.ts";
import type { MergeObstacle } from "../../loyalty/transfers/merge.ts";
import type { GrantObstacle } from "../../operator/loyalty/grant-points.ts";
import { instant } from "../journal/rows.ts";

/** Returns the name in the form `И*** П***`, which somebody who knows the name recognizes. */
export function maskedName(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== "");
  return words.map((word) => `${[...word][0] ?? ""}***`).join(" ");
}

/** Returns the phone in the form `+7903***3344`. */
export function maskedPhone(phone: string | undefined): string {
  return phone === undefined ? "" : `${phone.slice(0, 5)}***${phone.slice(-4)}`;
}

/** Returns why points cannot be granted or deducted. */
export function grantObstacleText(obstacle: GrantObstacle): string {
  switch (obstacle.code) {
    case "above-balance":
      return `the member has ${obstacle.balancePoints} points, and a deduction never makes a balance negative`;
    case "booked-meanwhile":
      return "something was booked meanwhile: look at the history";
    case "erased":
      return "the member was erased";
  }
}

/** Returns why two members cannot be merged, or why a merge cannot be undone. */
export function mergeObstacleText(obstacle: MergeObstacle): string {
  switch (obstacle.code) {
    case "same-member":
      return "both name the same member";
    case "not-standing":
      return `member ${obstacle.memberId} is ${obstacle.status}`;
    case "not-merged":
      return "the first member has not taken the second one over, or it was undone already";
    case "too-late":
      return `they were merged at ${instant(obstacle.mergedAtMs)} (UTC), and a merge can be undone for 30 days`;
    case "kept-is-gone":
      return "the member that was kept was merged into another one since, or erased: what is left of the moved points cannot be told any more";
  }
}

/** Returns the place and the fault of a row that contradicts the ledger. */
export function findingText({ table, row, fault }: Finding): string {
  const place = `${table} ${row}`;
  switch (fault.code) {
    case "missing":
      return `${place}: is missing`;
    case "surplus":
      return `${place}: nothing that was booked has made it`;
    case "altered":
      return `${place}: was altered, or its lot or what it took from lots was; the hash does not fit`;
    case "differs":
      return `${place}: ${fault.column} is ${shown(fault.stored)}, counted ${shown(fault.counted)}`;
    case "repeated":
      return `${place}: is there ${fault.times} times`;
  }
}

function shown(value: number | string | null): string {
  return value === null ? "nothing" : String(value);
}
