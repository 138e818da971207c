import * as z from 'zod/mini';

/** USER: an agent of a company. CREATOR: an owner of a company. ADMIN: an admin of the platform. */
export const Role = z.enum(['USER', 'CREATOR', 'ADMIN']);
export type Role = z.infer<typeof Role>;
