-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "ancestors" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- RenameColumn
ALTER TABLE "rate_limits" RENAME COLUMN "lineage" TO "bucket";

-- CreateTable
CREATE TABLE "ceiling_charges" (
    "workspace_id" TEXT NOT NULL,
    "refund_id" TEXT NOT NULL,
    "lineage" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "retained" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "ceiling_charges_pkey" PRIMARY KEY ("workspace_id","refund_id","lineage")
);

-- CreateIndex
CREATE INDEX "ceiling_charges_workspace_id_lineage_created_at_idx" ON "ceiling_charges"("workspace_id", "lineage", "created_at");

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_lineage_idx" ON "api_keys"("workspace_id", "lineage");

-- AddForeignKey
ALTER TABLE "ceiling_charges" ADD CONSTRAINT "ceiling_charges_workspace_id_refund_id_fkey" FOREIGN KEY ("workspace_id", "refund_id") REFERENCES "refunds"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Keys that keys created before their ancestors were stored: the audit log names who created which.
WITH RECURSIVE made AS (
  SELECT DISTINCT child.workspace_id, child.lineage, maker.lineage AS maker
  FROM audit_rows AS row
  JOIN api_keys AS child ON child.workspace_id = row.workspace_id AND child.id = row.object
  JOIN api_keys AS maker ON maker.workspace_id = row.workspace_id AND maker.id = row.actor
  WHERE row.action = 'createKey' AND row.outcome = 'ok' AND child.lineage <> maker.lineage
), chain AS (
  SELECT workspace_id, lineage, maker, ARRAY[maker] AS ancestors FROM made
  UNION ALL
  SELECT chain.workspace_id, chain.lineage, made.maker, chain.ancestors || made.maker
  FROM chain JOIN made ON made.workspace_id = chain.workspace_id AND made.lineage = chain.maker
  WHERE NOT made.maker = ANY (chain.ancestors)
), longest AS (
  SELECT DISTINCT ON (workspace_id, lineage) workspace_id, lineage, ancestors FROM chain
  ORDER BY workspace_id, lineage, cardinality(ancestors) DESC
)
UPDATE api_keys SET ancestors = longest.ancestors
FROM longest WHERE api_keys.workspace_id = longest.workspace_id AND api_keys.lineage = longest.lineage;

-- Refunds count against the lineage of their key, and from now on against its ancestors too.
INSERT INTO ceiling_charges (workspace_id, refund_id, lineage, position, created_at)
SELECT refund.workspace_id, refund.id, charged.lineage, charged.position - 1, refund.created_at
FROM refunds AS refund
JOIN api_keys AS key ON key.workspace_id = refund.workspace_id AND key.lineage = refund.key_lineage AND key.replaced_by IS NULL
CROSS JOIN LATERAL unnest(ARRAY[key.lineage] || key.ancestors) WITH ORDINALITY AS charged (lineage, position);
