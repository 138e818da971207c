import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a page did not load: the network is down, or a deploy replaced the files. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super('The code of a page did not load', { cause });
    this.name = 'PageNotLoaded';
  }
}

/**
 * A page in its own file. TanStack Router alone reloads the document when the file fails to load, which without a
 * network ends on the browser's error page.
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
