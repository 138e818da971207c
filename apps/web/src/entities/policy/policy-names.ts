import { listPolicies } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';

const fold = (name: string) => name.trim().toLowerCase();

/**
 * Returns a function that loads the company's policies. Its result finds the ids of the policies that a text names, separated by
 * semicolons, commas or lines; `fault` names the first unknown policy.
 */
export function usePolicyNames() {
  const client = useQueryClient();
  return async () => {
    const { rows } = await client.fetchQuery(queryOptions(listPolicies, {}));
    const ids = new Map(rows.map(({ id, name }) => [fold(name), id]));
    // The name of a policy may contain a comma.
    const split = (part: string) => (ids.has(fold(part)) ? part : part.split(','));
    return (text: string) => {
      const names = text
        .split(/[;\n]/)
        .flatMap(split)
        .filter((name) => fold(name) !== '');
      const unknown = names.find((name) => !ids.has(fold(name)))?.trim();
      const fault =
        unknown === undefined ? undefined : { field: 'politics', text: t.imports.noPolicy(unknown) };
      return { politics: [...new Set(names.flatMap((name) => ids.get(fold(name)) ?? []))], fault };
    };
  };
}
