-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "account_media_limits" JSONB;

-- AlterTable
ALTER TABLE "posts" ADD COLUMN     "first_comment" JSONB,
ADD COLUMN     "media" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "thread" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "posts" ALTER COLUMN "media" DROP DEFAULT,
ALTER COLUMN "thread" DROP DEFAULT;

-- What a delivery says stands in its parts. So far each has one.
UPDATE deliveries SET parts = jsonb_build_array(
  coalesce(parts->0, '{"index": 0, "status": "pending", "externalId": null, "url": null, "receipt": {}}'::jsonb)
  || jsonb_build_object('kind', 'post', 'title', NULL, 'text', text, 'link', link, 'media', '[]'::jsonb)
);

-- AlterTable
ALTER TABLE "deliveries" DROP COLUMN "link",
DROP COLUMN "text";
