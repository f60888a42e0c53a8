import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { administer, POSTGRES_URL } from "./postgres-admin.ts";

/** Makes an empty database of PostgreSQL, which is dropped after the test, and returns its address. */
export async function newPostgresDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(`create database ${name}`);
  onTestFinished(() => administer(`drop database if exists ${name} with (force)`));
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return url.href;
}
