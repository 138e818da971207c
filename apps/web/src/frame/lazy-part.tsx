import * as t from '@propusk/phrases/console';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { Contained, type PropsOf } from '../ui/lazy.tsx';
import { Failed } from '../ui/state.tsx';

/**
 * Loads a part of a page from a separate file. When the file does not load or the component throws, a failure with a retry
 * replaces the part.
 * @param waiting shown while the file loads
 */
export function lazyPart<Module, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
  waiting: ReactNode,
) {
  type Props = PropsOf<Module[Name]> & object;
  return (props: Props) => {
    const client = useQueryClient();
    const query = useQuery({
      queryKey: ['code', name],
      queryFn: () =>
        load().then(
          (module) => module[name] as ComponentType<Props>,
          () => {
            throw new Error(t.failures.notLoadedHint);
          },
        ),
      staleTime: Number.POSITIVE_INFINITY,
    });
    const Part = query.data;
    if (Part === undefined) return query.error ? <Failed query={query} title={t.part.failed} /> : waiting;
    const crashed = (reset: () => void) => {
      // The part may have failed on a cached reply, so the retry loads its replies again.
      const refetch = () => {
        client.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== 'code' });
        reset();
      };
      const error = new Error(t.failures.unexpected);
      return <Failed query={{ error, isFetching: false, refetch }} title={t.part.failed} />;
    };
    return (
      <Contained crashed={crashed}>
        <Part {...props} />
      </Contained>
    );
  };
}
