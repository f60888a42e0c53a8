export interface ClusterObserver {
  renewed(durationMs: number): void;
  takenOver(why: "silent" | "free"): void;
  fenced(where: "journal" | "link" | "register"): void;
  forwarded(outcome: string, durationMs: number): void;
}
