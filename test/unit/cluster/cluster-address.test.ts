import { expect, it } from "vitest";
import { readConfig } from "../../../src/app/config.ts";

const DATABASE_URL = "postgres://fiscal:hush@10.0.0.9/fiscal";

it.each(["http://10.0.0.5:80", "http://[fd00::5]:80/"])("the address of a process may have the default port, written out: %s", (url) => {
  expect(readConfig({ DATABASE_URL, CLUSTER_URL: url }).cluster?.url).toBe(url.replace(/\/$/, ""));
});

it.each(["http://10.0.0.5", "http://[fd00::5]", "http:80", "http://10.0.0.5:"])("the address of a process has a port: %s", (url) => {
  expect(() => readConfig({ DATABASE_URL, CLUSTER_URL: url })).toThrow("CLUSTER_URL expects http://HOST:PORT");
});
