import { Anchor } from '@mantine/core';
import { unicodeHost } from '@propusk/contract/unicode-host';

/** A link that opens the start page of a site in a new tab. A wildcard opens its domain. */
export function SiteLink({ address }: { address: string }) {
  const place = address.replace(/^\*\./, '');
  return (
    <Anchor href={`${place.endsWith(':80') ? 'http' : 'https'}://${place}/`} target="_blank" rel="noopener">
      {unicodeHost(address)}
    </Anchor>
  );
}
