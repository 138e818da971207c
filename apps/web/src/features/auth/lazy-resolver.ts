import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';

/**
 * Loads the form's schema with the first letter: zod and the contract weigh as much as a tenth of the page. Loading
 * them on focus or at idle breaks the login page's budget of 150 KB, which e2e/load.spec.ts measures with the first
 * field focused. An untouched form is incomplete and shows no error.
 */
export function lazyResolver<V extends FieldValues, O>(
  load: () => Promise<Resolver<V, unknown, O>>,
): Resolver<V, unknown, O> {
  let judge: Resolver<V, unknown, O> | undefined;
  return async (values, context, options) => {
    const begun = Object.values(values).some((value) => value !== '');
    if (!judge && !begun) return { values: {}, errors: { root: { type: 'blank' } } as FieldErrors<V> };
    judge ??= await load().catch(() => undefined);
    // Without the file the input is sent as typed, and the server validates it.
    return judge?.(values, context, options) ?? { values: values as unknown as O, errors: {} };
  };
}
