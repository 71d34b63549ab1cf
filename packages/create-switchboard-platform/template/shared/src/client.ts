import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const errorMapping: ErrorMapping = {
  name: 'Acme',
  parseError: (response) => refusal.safeParse(response.json).data?.error ?? null,
  classify: () => 'platform.refused',
};

export const { requestJson } = createPlatformClient(errorMapping);
