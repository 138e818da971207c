import { useEffect } from 'react';
import { t } from '../dictionary/dictionary.ts';

/** Names the page in the browser's tab and history: what the page is, then the product. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
    return () => {
      document.title = t.product;
    };
  }, [title]);
}
