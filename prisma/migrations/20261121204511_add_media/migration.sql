-- CreateTable
CREATE TABLE "media" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "source_url" TEXT,
    "lineage" TEXT NOT NULL,
    "declared_type" TEXT,
    "declared_bytes" INTEGER,
    "file_name" TEXT,
    "type" TEXT,
    "bytes" INTEGER,
    "sha256" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" DOUBLE PRECISION,
    "animated" BOOLEAN,
    "alt_text" TEXT,
    "error" JSONB,
    "attempts" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "post_media" (
    "workspace_id" TEXT NOT NULL,
    "post_id" TEXT NOT NULL,
    "media_id" TEXT NOT NULL,

    CONSTRAINT "post_media_pkey" PRIMARY KEY ("workspace_id","post_id","media_id")
);

-- CreateTable
CREATE TABLE "media_stores" (
    "id" INTEGER NOT NULL,
    "mark" TEXT NOT NULL,

    CONSTRAINT "media_stores_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "media_file_name_key" ON "media"("file_name");

-- CreateIndex
CREATE INDEX "media_created_at_idx" ON "media"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "media_workspace_id_id_key" ON "media"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "post_media_workspace_id_media_id_idx" ON "post_media"("workspace_id", "media_id");

-- AddForeignKey
ALTER TABLE "media" ADD CONSTRAINT "media_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "post_media" ADD CONSTRAINT "post_media_workspace_id_post_id_fkey" FOREIGN KEY ("workspace_id", "post_id") REFERENCES "posts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "post_media" ADD CONSTRAINT "post_media_workspace_id_media_id_fkey" FOREIGN KEY ("workspace_id", "media_id") REFERENCES "media"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What schema.prisma cannot say
ALTER TABLE media ADD CONSTRAINT media_status_check CHECK (status IN ('processing', 'ready', 'failed'));
ALTER TABLE media ADD CONSTRAINT media_source_check CHECK (source IN ('upload', 'put', 'url'));
ALTER TABLE media ADD CONSTRAINT media_file_check CHECK ((status = 'ready') = (file_name IS NOT NULL));
ALTER TABLE media_stores ADD CONSTRAINT media_stores_one_check CHECK (id = 1);
CREATE INDEX media_to_fetch_idx ON media (next_attempt_at) WHERE status = 'processing';
