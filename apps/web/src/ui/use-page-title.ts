import * as t from '@propusk/phrases/console';
import { useEffect } from 'react';

/** Names the page in the browser's tab and history: what the page is, then the product. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
    return () => {
      document.title = t.product;
    };
  }, [title]);
}
