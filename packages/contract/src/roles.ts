import * as z from 'zod/mini';

/** The roles of a user (spec section 6). A user may have several, or none. */
export const Role = z.enum(['USER', 'CREATOR', 'ADMIN']);
export type Role = z.infer<typeof Role>;
