import { Button, Stack } from '@mantine/core';
import { me } from '@propusk/contract/me';
import { listSites } from '@propusk/contract/sites';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queryOptions } from '../../api/queries.ts';
import { token } from '../../api/token.ts';
import { SiteLink } from '../../entities/site/site-link.tsx';

/** Links to the first sites that an agent may open. */
export function OwnSites() {
  const self = useQuery({ ...queryOptions(me, {}), enabled: token.read() !== null });
  // For an owner or ADMIN, the list of sites also contains sites that this user may not open.
  const isAgent = self.data?.roles.every(({ value }) => value === 'USER') ?? false;
  const { data } = useQuery({ ...queryOptions(listSites, { query: { take: 5 } }), enabled: isAgent });
  return (
    <Stack align="center" gap="xs">
      {data?.rows.map(({ id, address }) => (
        <SiteLink key={id} address={address} />
      ))}
      <Button component={Link} to="/" variant="default">
        {t.pairing.toConsole}
      </Button>
    </Stack>
  );
}
