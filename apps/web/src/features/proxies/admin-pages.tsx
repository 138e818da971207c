import { Button } from '@mantine/core';
import { deleteProxy, listAllProxies, type Proxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { IconPlugConnected, IconServer2 } from '@tabler/icons-react';
import { Link, useMatch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { dialogLink, type Path } from '../../dialog-route.tsx';
import { CompanyCell } from '../../entities/company/company-cell.tsx';
import { useMe } from '../../entities/user/me.tsx';
import { AddButton } from '../../lists/add-button.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import classes from './page.module.css';

const CheckProxyDialog = lazyDialog(() => import('./check-proxy-dialog.tsx'), 'CheckProxyDialog');
/** /dashboard/admin/proxies and /dashboard/admin/politics: every company's proxies and the platform's. */
export function AllProxiesPage() {
  return (
    <AdminProxies
      title={t.proxies.title}
      help={t.proxies.adminHelp}
      // A background colour marks the platform's proxies in this list of all proxies.
      rowClass={({ settings }) => (settings.type === 'default' ? classes.default : undefined)}
      actions={
        <Button component={Link} to="/dashboard/admin/proxies-default" variant="default">
          {t.proxies.platformTitle}
        </Button>
      }
    />
  );
}

/** /dashboard/admin/proxies-default: the platform's own proxies. */
export function PlatformProxiesPage() {
  // An ADMIN who belongs to a company gets no "add" button: POST /proxy would add the proxy to that company.
  const adds = useMe().company === null;
  return (
    <AdminProxies
      title={t.proxies.platformTitle}
      help={t.proxies.platformHelp}
      filter={{ type: 'default' }}
      actions={
        <>
          <Button component={Link} to="/dashboard/admin/proxies" variant="default">
            {t.proxies.toAll}
          </Button>
          {adds && <AddButton to="/dashboard/admin/proxies-default/new" />}
        </>
      }
    />
  );
}

function AdminProxies(props: {
  title: string;
  help: string;
  filter?: Readonly<Record<string, string>>;
  rowClass?: (proxy: Proxy) => string | undefined;
  actions: ReactNode;
}) {
  // Several pages show this list, each with its own path. The dialog's path begins with the path of the page.
  const page = useMatch({ strict: false }).fullPath;
  const [checked, setChecked] = useState<Proxy | null>(null);
  const remove = useRemove(deleteProxy, t.proxies.remove);
  const name = ({ host, port }: Proxy) => `${host}:${port}`;
  return (
    <>
      <ListPage
        {...props}
        searchLabel={t.proxies.search}
        list={listAllProxies}
        columns={adminColumns}
        rowMenu={{
          name,
          actions: (proxy) => [
            {
              label: t.proxies.check,
              icon: <IconPlugConnected size={16} aria-hidden />,
              opens: CheckProxyDialog,
              run: () => setChecked(proxy),
            },
            editing(dialogLink(`${page}/$id/edit` as Path, proxy.id)),
            // The api refuses to delete the platform's gateway, which this list shows as a proxy.
            ...(proxy.direct ? [] : [removing(() => remove(proxy.id, name(proxy)))]),
          ],
        }}
        empty={{ icon: <IconServer2 size={24} />, title: t.proxies.adminEmpty }}
      />
      {checked && <CheckProxyDialog proxy={checked} onClose={() => setChecked(null)} />}
    </>
  );
}

/** The columns of the admin proxy table, in the order of spec section 2. */
const adminColumns: readonly Column<Proxy>[] = [
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

/** Raw JSON in one line, cut at the end of the column. A click shows it whole. */
function Json({ value }: { value: object }) {
  const [open, setOpen] = useState(false);
  return (
    <button type="button" className={classes.json} aria-expanded={open} onClick={() => setOpen(!open)}>
      <code>{JSON.stringify(value)}</code>
    </button>
  );
}
