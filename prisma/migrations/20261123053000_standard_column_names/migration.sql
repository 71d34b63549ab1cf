-- The columns carry the names under which the code knows them. Renaming changes the catalog only.
ALTER TABLE "connections" RENAME COLUMN "way" TO "connect_method";
ALTER TABLE "connect_choices" RENAME COLUMN "way" TO "connect_method";
ALTER TABLE "connect_flows" RENAME COLUMN "way" TO "connect_method";
ALTER TABLE "refresh_receipts" RENAME COLUMN "way" TO "connect_method";
ALTER TABLE "posts" RENAME COLUMN "asked" TO "requested";
ALTER TABLE "deliveries" RENAME COLUMN "locate_at" TO "resolve_url_at";
ALTER INDEX "deliveries_to_locate_idx" RENAME TO "deliveries_url_unresolved_idx";
