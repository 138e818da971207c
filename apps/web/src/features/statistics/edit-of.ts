import type { Named } from '@propusk/contract/fields';
import { paths } from '../../paths.ts';

/** Where the list of users opens a person's edit dialog. The list searches each word of a name alone, so the last one is enough. */
export function editOf({ id, name }: Named) {
  return { to: paths.creatorUsers, search: { name: name.split(' ').at(-1) }, hash: String(id) } as const;
}
