import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';

/**
 * Loads a form's schema when the user types the first character: zod and the contract are a tenth of the page's size.
 * Loading them on focus or at idle would exceed the login page's limit of 150 KB, which e2e/load.spec.ts measures with
 * the first field focused.
 */
export function lazyResolver<V extends FieldValues, O>(
  load: () => Promise<Resolver<V, unknown, O>>,
): Resolver<V, unknown, O> {
  let judge: Resolver<V, unknown, O> | undefined;
  return async (values, context, options) => {
    const begun = Object.values(values).some((value) => value !== '');
    if (!judge && !begun) return { values: {}, errors: { root: { type: 'blank' } } as FieldErrors<V> };
    judge ??= await load().catch(() => undefined);
    // If the schema's file does not load, the form sends the input as typed, and the server validates it.
    return judge?.(values, context, options) ?? { values: values as unknown as O, errors: {} };
  };
}
