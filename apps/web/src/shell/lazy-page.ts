import { lazyRouteComponent } from '@tanstack/react-router';

/** Thrown when the code of a page did not load: the network is down, or a deploy replaced the files. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super('The code of a page did not load', { cause });
    this.name = 'PageNotLoaded';
  }
}

/**
 * A page whose code is a separate file. TanStack Router's own lazy pages reload the document when the file fails to
 * load, and without a network the browser's error page would then replace the console.
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
