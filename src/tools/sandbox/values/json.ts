/** JSON of an answer. A member that is undefined is left out. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };
