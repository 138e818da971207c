import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** Report readiness: the service is ready when its database answers. */
export const health = endpoint('GET /health', {
  access: 'public',
  reply: z.object({
    /** The database answers. */
    status: z.literal('ok'),
  }),
});
