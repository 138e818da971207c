import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const health = endpoint({
  method: 'GET',
  path: '/health',
  access: 'public',
  summary: 'Ready to serve: the database answers',
  reply: z.object({ status: z.literal('ok') }),
});
