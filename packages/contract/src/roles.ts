import * as z from 'zod/mini';

/** Who a user is to the platform (spec section 6). A user may hold several, or none. */
export const Role = z.enum(['USER', 'CREATOR', 'ADMIN']);
export type Role = z.infer<typeof Role>;
