/** Rows that a page of a list may hold (spec section 9). */
export const pageSizes: readonly number[] = [10, 20, 50, 100];
