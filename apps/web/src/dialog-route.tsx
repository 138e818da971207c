import {
  type HistoryState,
  type NavigateOptions,
  type RegisteredRouter,
  useMatch,
  useParentMatches,
  useRouter,
} from '@tanstack/react-router';
import type { OnClose } from './forms/dialog.tsx';
import { lazyDialog, type PropsOf } from './ui/lazy.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the previous history entry is the page under the dialog of this entry. */
    isOver?: boolean;
    /** Whether the dialog that shows a site's probe begins a new one. */
    begins?: boolean;
  }
}

/** The path of any page or dialog of the console. */
export type Path = keyof RegisteredRouter['routesByPath'];

/**
 * A link that opens a dialog over the open page, which keeps its search parameters and its scroll position.
 * @param state the state of the history entry; with `isOver: false` if the link is not on the page under the dialog
 */
export function dialogLink(to: Path, id?: number, state?: HistoryState): NavigateOptions {
  const params = id === undefined ? {} : { id: String(id) };
  const over = { isOver: true, ...state };
  const link = { to, params, search: over.isOver, resetScroll: !over.isOver, state: over };
  // The cast: the types of the router do not combine a union of paths with the parameters of each.
  return link as unknown as NavigateOptions;
}

/** Returns a function that makes the handlers of a button that opens a dialog. Hover and focus fetch the code of the dialog. */
export function useOpen() {
  const router = useRouter();
  return (...args: Parameters<typeof dialogLink>) => {
    const link = dialogLink(...args);
    const preload = () => void router.preloadRoute(link);
    return { onClick: () => void router.navigate(link), onPointerEnter: preload, onFocus: preload };
  };
}

/** A module with the component of a dialog. */
export type DialogModule<Name extends string> = Record<Name, (props: { onClose: OnClose }) => void>;

/**
 * The component of a route that shows a dialog over the page of the parent route. After a save, and for a dialog that was opened
 * by a link from elsewhere, closing replaces the history entry; otherwise it goes back.
 */
export function dialogRoute<M extends DialogModule<Name>, Name extends string>(
  load: () => Promise<M>,
  name: Name,
) {
  const Dialog = lazyDialog(load, name);
  const props = {} as PropsOf<M[Name]>;
  function DialogRoute() {
    const router = useRouter();
    const page = useParentMatches({ select: (matches) => matches.at(-1)?.pathname });
    const own = useMatch({ strict: false, select: ({ pathname }) => pathname });
    const onClose: OnClose = (saved) => {
      // The user has gone elsewhere while the dialog faded out or its code was loading.
      if (router.latestLocation.pathname !== own) return;
      if (!saved && router.latestLocation.state.isOver) return router.history.back({ ignoreBlocker: true });
      const link = {
        to: page,
        search: true,
        resetScroll: false,
        replace: true,
        ignoreBlocker: true,
      } as const;
      return void router.navigate(link);
    };
    return <Dialog key={own} {...props} onClose={onClose} />;
  }
  // Returns no promise, so that the router does not wait for the code of the dialog; the dialog reports a failure itself.
  const preload = () => {
    Dialog.preload();
    return undefined;
  };
  return Object.assign(DialogRoute, { preload });
}
