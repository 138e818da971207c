/** The numbers of rows on a page of a list that a user can choose (spec section 9). */
export const pageSizes: readonly number[] = [10, 20, 50, 100];
