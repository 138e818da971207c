import * as t from '@propusk/phrases/console';
import { confirm } from '../../ui/confirm.ts';
import { mixedWords } from './mixed-words.ts';

/** If an address mixes Latin and Cyrillic letters, asks the user whether to save it. @returns whether to save the addresses */
export async function confirmLetters(...addresses: readonly string[]): Promise<boolean> {
  const words = addresses.flatMap(mixedWords);
  if (words.length === 0) return true;
  const hints = words.map((runs) => {
    const marked = runs.map((run) => t.siteForm.alphabet(run, /\p{Script=Cyrillic}/u.test(run)));
    return t.siteForm.mixed(runs.join(''), marked.join(', '));
  });
  return confirm({
    text: t.siteForm.mixedTitle,
    hint: hints.join('. '),
    yes: t.common.save,
    no: t.common.cancel,
  });
}
