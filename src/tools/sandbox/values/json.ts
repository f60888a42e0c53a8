/** JSON as it goes out. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };
