import * as t from '@propusk/phrases/console';
import { useEffect } from 'react';

/** Sets the document's title: the title of the page, then the product's name. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
    return () => {
      document.title = t.product;
    };
  }, [title]);
}
