import { Text } from '@mantine/core';
import type { Proxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { Fragment } from 'react';
import { CompanyCell } from '../../common/company-cell.tsx';
import { dayColumns } from '../../common/day-columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';

/** The columns of the admin proxy table, in the order of spec section 2. */
export const adminColumns: readonly Column<Proxy>[] = [
  {
    key: 'host',
    title: t.proxies.host,
    main: true,
    render: (proxy) => <TwoLines first={proxy.host} second={proxy.direct ? t.common.thisGateway : null} />,
  },
  { key: 'port', title: t.proxies.port, width: '80px', render: (proxy) => proxy.port },
  ...dayColumns<Proxy>(),
  {
    key: 'company',
    title: t.proxies.company,
    render: ({ company }) => (company ? <CompanyCell company={company} /> : t.proxies.ofPlatform),
  },
  {
    key: 'settings',
    title: t.proxies.settings,
    render: ({ settings }) => <Json value={settings} />,
  },
];

/** Raw JSON, whose lines break after a comma first. */
function Json({ value }: { value: object }) {
  const members = JSON.stringify(value).split(/(?<=,)/);
  return (
    <Text component="code" size="xs" ff="monospace">
      {members.map((member) => (
        <Fragment key={member}>
          {member}
          <wbr />
        </Fragment>
      ))}
    </Text>
  );
}
