import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const health = endpoint({
  method: 'GET',
  path: '/health',
  access: 'public',
  reply: z.object({ status: z.literal('ok') }),
});
