import { readFileSync } from "node:fs";
import { Router } from "express";
import { setRoute } from "../access-log.ts";
import { answerText, JSON_TYPE } from "../answer.ts";
import type { OpenApi } from "./openapi.ts";
import { docsPage } from "./page.ts";

/** `/openapi.json` and `/docs`: written once, when the server starts. */
export function docsRouter(document: OpenApi): Router {
  const files = [
    { path: "/openapi.json", type: JSON_TYPE, content: JSON.stringify(document, undefined, 2) },
    { path: "/docs", type: "text/html; charset=utf-8", content: docsPage(document, "docs/style.css") },
    { path: "/docs/style.css", type: "text/css; charset=utf-8", content: readFileSync(new URL("style.css", import.meta.url), "utf8") },
  ];
  // `/docs/` would break the page's relative addresses, which let it stand below any prefix of a proxy.
  const router = Router({ caseSensitive: true, strict: true });
  for (const { path, type, content } of files) {
    router.get(path, (_request, response) => {
      setRoute(response, `GET ${path}`);
      answerText(response, 200, type, content);
    });
  }
  return router;
}
