/** The paper of a receipt: a roll of 58 or 80 mm, or a sheet. */
export const PAPERS = ["58", "80", "a4"] as const;

export type Paper = (typeof PAPERS)[number];

export function isPaper(name: string): name is Paper {
  return PAPERS.some((paper) => paper === name);
}
