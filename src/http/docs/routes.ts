import { readFileSync } from "node:fs";
import { Router } from "express";
import { JSON_TYPE } from "../answer.ts";
import { type FixedPage, fixedAnswer } from "../fixed-answer.ts";
import type { OpenApi } from "./openapi.ts";
import { docsPage } from "./page.ts";

/** `/openapi.json` and `/docs`, made once when the server starts. */
export function docsRouter(document: OpenApi): Router {
  const pages: FixedPage[] = [
    { path: "/openapi.json", contentType: JSON_TYPE, content: JSON.stringify(document, undefined, 2) },
    { path: "/docs", contentType: "text/html; charset=utf-8", content: docsPage(document, "docs/style.css") },
    {
      path: "/docs/style.css",
      contentType: "text/css; charset=utf-8",
      content: readFileSync(new URL("style.css", import.meta.url), "utf8"),
    },
  ];
  // Strict routes, because at `/docs/` the page's relative addresses would be wrong. The addresses are relative so that they also work
  // behind a proxy with a prefix.
  const router = Router({ caseSensitive: true, strict: true });
  for (const page of pages) router.get(page.path, fixedAnswer(page));
  return router;
}
