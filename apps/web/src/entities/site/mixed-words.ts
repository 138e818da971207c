import { unicodeHost } from '@propusk/contract/unicode-host';

/** The words of an address's host that mix Latin and Cyrillic letters, each split into runs of one alphabet. */
export function mixedWords(address: string): string[][] {
  const host = unicodeHost(/^(?:[a-z]+:\/\/)?[^/?#]*/i.exec(address.trim())?.[0] ?? '');
  return (host.match(/[\p{Script=Latin}\p{Script=Cyrillic}]+/gu) ?? [])
    .map((word) => word.match(/\p{Script=Latin}+|\p{Script=Cyrillic}+/gu) ?? [])
    .filter((runs) => runs.length > 1);
}
