import { ActionIcon, Box, Button, Text, VisuallyHidden } from '@mantine/core';
import { deleteProxy, listProxies, type Proxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { IconLock, IconPlugConnected, IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { List } from '../../api/list.ts';
import { queryOptions } from '../../api/queries.ts';
import { dialogLink } from '../../dialog-route.tsx';
import { useTrial } from '../../entities/plan/use-trial.ts';
import { proxyName } from '../../entities/user/names.ts';
import { AddButton } from '../../lists/add-button.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { State } from '../../ui/state.tsx';
import { Tag } from '../../ui/tags.tsx';

const CheckProxyDialog = lazyDialog(() => import('./check-proxy-dialog.tsx'), 'CheckProxyDialog');
const RequestDialog = lazyDialog(() => import('../../entities/plan/request-dialog.tsx'), 'RequestDialog');

const columns: readonly Column<Proxy>[] = [
  { key: 'host', title: t.proxies.host, main: true, render: proxyName },
  {
    key: 'type',
    title: t.proxies.type,
    width: '144px',
    render: (proxy) => <ProxyTypeTag settings={proxy.settings} />,
  },
  { key: 'port', title: t.proxies.port, width: '96px', render: (proxy) => <Port proxy={proxy} /> },
  ...dayColumns<Proxy>(),
];

type Dialog = 'paid_proxy' | 'trial' | Proxy | null;

/** /dashboard/creator/proxies: the proxies that the owner's company may use. */
export function ProxiesPage() {
  const [dialog, setDialog] = useState<Dialog>(null);
  const remove = useRemove(deleteProxy, t.proxies.remove);
  const trial = useTrial(() => setDialog('trial'));
  const close = () => setDialog(null);
  const askPaid = { onClick: () => setDialog('paid_proxy'), ...RequestDialog.intent };
  const noOwn = {
    icon: <IconServer2 size={24} />,
    title: t.proxies.empty,
    action: (
      <>
        <Button {...askPaid}>{t.proxies.paidTariff}</Button>
        <Button variant="default" loading={trial.busy} onClick={trial.begin} {...RequestDialog.intent}>
          {t.tariff.trial}
        </Button>
      </>
    ),
  };
  return (
    <>
      <ListPage
        title={t.proxies.title}
        help={t.proxies.help}
        searchLabel={t.proxies.search}
        list={listProxies}
        columns={columns}
        rowMenu={{
          name: proxyName,
          // A company may change only its own proxies, of type `users`. The platform manages the other types.
          actions: (proxy) =>
            proxy.settings.type !== 'users'
              ? []
              : [
                  {
                    label: t.proxies.check,
                    icon: <IconPlugConnected size={16} aria-hidden />,
                    opens: CheckProxyDialog,
                    run: () => setDialog(proxy),
                  },
                  editing(dialogLink('/dashboard/creator/proxies/$id/edit', proxy.id)),
                  removing(() => remove(proxy.id, `${proxyName(proxy)}:${proxy.port}`)),
                ],
          // A row whose only action is the check shows a button instead of a menu.
          alone: (proxy) => (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={40}
              aria-label={t.proxies.checkOf(proxyName(proxy))}
              title={t.proxies.check}
              onClick={() => setDialog(proxy)}
              {...CheckProxyDialog.intent}
            >
              <IconPlugConnected size={18} stroke={1.75} aria-hidden />
            </ActionIcon>
          ),
        }}
        empty={noOwn}
        // The list is never empty, since it holds the platform's proxies.
        introduction={(list) => (
          <UnlessOwn list={list}>
            <Box mb="md" bd="1px dashed var(--line)" bdrs="sm">
              <State {...noOwn} />
            </Box>
          </UnlessOwn>
        )}
        actions={
          <>
            <Button variant="default" {...askPaid}>
              {t.proxies.addPaid}
            </Button>
            <AddButton to="/dashboard/creator/proxies/new" />
          </>
        }
      />
      {typeof dialog === 'string' && <RequestDialog kind={dialog} onClose={close} />}
      {dialog !== null && typeof dialog === 'object' && <CheckProxyDialog proxy={dialog} onClose={close} />}
    </>
  );
}

/** Shows content to a company without a proxy of its own. Reads the whole list if the loaded page has no such proxy. */
function UnlessOwn({ list, children }: { list: List<Proxy>; children: ReactNode }) {
  const hasOwn = ({ rows }: List<Proxy>) => rows.some(({ settings }) => settings.type !== 'default');
  const isPart = !hasOwn(list) && list.count > list.rows.length;
  const { data } = useQuery({ ...queryOptions(listProxies, {}), enabled: isPart });
  const whole = isPart ? data : list;
  return whole && !hasOwn(whole) && children;
}

function Port({ proxy }: { proxy: Proxy }) {
  if (proxy.settings.type !== 'default') return proxy.port;
  return (
    <Text component="span" c="dimmed" title={t.proxies.noPort}>
      <IconLock size={16} style={{ verticalAlign: 'middle' }} aria-hidden />
      <VisuallyHidden>{t.proxies.noPort}</VisuallyHidden>
    </Text>
  );
}

/** The kind of a proxy (spec section 2): the company's own, PRO (the platform's, for all sites), or standard. */
function ProxyTypeTag({ settings }: { settings: Proxy['settings'] }) {
  if (settings.type !== 'default') return <Tag tone="accent">{t.proxies.own}</Tag>;
  if (settings.allSites) return <Tag tone="special">{t.proxies.pro}</Tag>;
  return <Tag>{t.proxies.standard}</Tag>;
}
