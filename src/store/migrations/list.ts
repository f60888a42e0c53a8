import { first } from "./001-first.ts";
import { platform } from "./002-platform.ts";
import { newest } from "./003-newest.ts";
import { changes } from "./004-changes.ts";
import { returnedSale } from "./005-returned-sale.ts";
import { forgottenTokens } from "./006-forgotten-tokens.ts";
import { reasons } from "./007-reasons.ts";
import { payments } from "./008-payments.ts";
import { loyalty } from "./009-loyalty.ts";
import { audit } from "./010-audit.ts";
import { search } from "./011-search.ts";
import { alerts } from "./012-alerts.ts";
import { exchanges } from "./013-exchanges.ts";
import { agents } from "./014-agents.ts";
import { cluster } from "./015-cluster.ts";
import { days } from "./017-days.ts";
import { lists } from "./018-lists.ts";
import { slips } from "./019-slips.ts";
import { unsold } from "./020-unsold.ts";
import type { PinnedMigration } from "./types.ts";

/**
 * All migrations, in order. A list runs exactly the migrations that were checked; a search on disk might find others. A pin is a hash of
 * the statements that the migration sends (test/unit/store/migrations.test.ts). The pin of a released migration never changes, because
 * databases contain it.
 */
export const MIGRATIONS: readonly PinnedMigration[] = [
  { ...first, pins: { sqlite: "b2226fea7013d354f88dcb1942b712dc", postgres: "aef32e6a664cb28e470b6a901b9cbb5a" } },
  { ...platform, pins: { sqlite: "3026f14bf581d725648244057f068151", postgres: "62a02f88c82803d53531b81995734d2a" } },
  { ...newest, pins: { sqlite: "1a71c53a6bc9195c45bec7feca42d9c2", postgres: "f2c8dc774039b0f6d02da50acbe3797c" } },
  { ...changes, pins: { sqlite: "0b46d0bd58629ca71dbffb9e4bf3e232", postgres: "db5eb91d2bda877da8cfcc15081aeb2b" } },
  { ...returnedSale, pins: { sqlite: "c9a05f438a56ec08b6c2982cf9d36057", postgres: "5986625e6be2916901dcb347b94da790" } },
  { ...forgottenTokens, pins: { sqlite: "2c6ed476d6f1eefa87ef60eeca46119d", postgres: "23403ba7295df1d10332ce9b12e99943" } },
  { ...reasons, pins: { sqlite: "b6e2e846498d977bdc7c198419980eb3", postgres: "d76a6a6de521661099b311e883cca0ff" } },
  { ...payments, pins: { sqlite: "5ab4a67c5f4b3670a53b1bc1378e0643", postgres: "2cffaa19bac2141a1b44f0ed2689d76c" } },
  { ...loyalty, pins: { sqlite: "8f2e081e69879b594a95718a3ae3f6cc", postgres: "876ee3c6afc85b02cb0575992b0f49c0" } },
  { ...audit, pins: { sqlite: "30a89da8157e0dd48c12288dce4bc571", postgres: "1c00a08ed33456b2469fb57156db72a5" } },
  { ...search, pins: { sqlite: "dea5f3f111a266751250c39e4687e4b2", postgres: "7f90cef327ed5cd87529c1b6da3525d2" } },
  { ...alerts, pins: { sqlite: "d023414006bffda795518c86b9611a42", postgres: "bcaeaffa1ac140a75b95e73f68f97cfb" } },
  { ...exchanges, pins: { sqlite: "5c2a7c55259b39e52ea4e7483ca5c577", postgres: "8a8402e38f895ab97fbbb09e48da1575" } },
  { ...agents, pins: { sqlite: "035ecfa812226a7599dd2e3205c6e2fa", postgres: "fe25f19f3bc05fc1b477885f83f22494" } },
  { ...cluster, pins: { sqlite: "5a4641ad99d638dceb7464ac1f2ffb7d", postgres: "c006dc55ed79e0e3970094689c95baae" } },
  { ...days, pins: { sqlite: "d634b77f532773e7d93c5e834e642122", postgres: "2a726496e549d83d1a8c128b9b3c03b4" } },
  { ...lists, pins: { sqlite: "b5494da612dad87cf367bf45e769fb09", postgres: "b5494da612dad87cf367bf45e769fb09" } },
  { ...slips, pins: { sqlite: "353a4211836503f6a530797751f5f066", postgres: "353a4211836503f6a530797751f5f066" } },
  { ...unsold, pins: { sqlite: "460c4cfa50b3625c1903c2f670f717b3", postgres: "460c4cfa50b3625c1903c2f670f717b3" } },
];
