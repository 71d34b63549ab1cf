import type { z } from 'zod';

/** Reads the JSON of a webhook; null when it is in another format. */
export const webhookBodyOf =
  <Body>(schema: z.ZodType<Body>) =>
  (bytes: Uint8Array): Body | null => {
    try {
      return schema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null;
    } catch {
      return null;
    }
  };
