import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a page did not come: the network is away, or a deploy has put newer files in its place. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super('The code of a page did not load', { cause });
    this.name = 'PageNotLoaded';
  }
}

/**
 * A page in a file of its own. The router alone would reload the whole document when the file does not come, which
 * without a network leaves nothing but the browser's own error page.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(
    () =>
      load().catch((cause) => {
        throw new PageNotLoaded(cause);
      }),
    name,
  );
}
