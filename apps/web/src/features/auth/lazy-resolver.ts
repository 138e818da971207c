import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';

/**
 * What judges a form, in a file of its own that is fetched with the first letter. A form that nobody has begun is not
 * complete, and nobody is told so.
 */
export function lazyResolver<V extends FieldValues, O>(
  load: () => Promise<Resolver<V, unknown, O>>,
): Resolver<V, unknown, O> {
  let judge: Resolver<V, unknown, O> | undefined;
  return async (values, context, options) => {
    const begun = Object.values(values).some((value) => value !== '');
    if (!judge && !begun) return { values: {}, errors: { root: { type: 'blank' } } as FieldErrors<V> };
    judge ??= await load().catch(() => undefined);
    // Should it not come, what was typed goes as it is, and the server judges.
    return judge?.(values, context, options) ?? { values: values as unknown as O, errors: {} };
  };
}
