import type { Proxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { PasswordField, TextField } from '../../forms/fields.tsx';
import { isMoved } from './proxy-values.ts';

/** Form values of a proxy, new or edited. */
interface ProxyValues extends FieldValues {
  host?: string | undefined;
  port?: string | number | undefined;
  username?: string | undefined;
  password?: string | undefined;
}

/** The fields of a proxy. An empty password keeps the stored one, unless the host or port changes. */
export function ProxyFields<V extends ProxyValues, O>(props: {
  control: Control<V, unknown, O>;
  stored?: Proxy;
}) {
  const { control, stored } = props;
  // The cast: the constraint of V guarantees these fields, but TypeScript cannot derive it for FieldPath.
  const field = (name: keyof ProxyValues & string) => name as FieldPath<V>;
  const [host, port, password] = useWatch({
    control,
    name: [field('host'), field('port'), field('password')],
  });
  const moved = stored !== undefined && isMoved(stored, { host, port });
  // The form validates a field only when that field changes. When the user restores the address, clear the password's error.
  const isSettled = stored !== undefined && !moved && !password;
  return (
    <>
      <TextField
        control={control}
        name={field('host')}
        label={t.proxies.host}
        placeholder="proxy.company.ru"
        required
        autoFocus
      />
      <TextField
        control={control}
        name={field('port')}
        label={t.proxies.port}
        placeholder="3128"
        inputMode="numeric"
        required
      />
      <TextField control={control} name={field('username')} label={t.proxies.login} required />
      <PasswordField
        control={control}
        name={field('password')}
        label={t.proxies.password}
        description={stored && (moved ? t.proxies.passwordMoved : t.proxies.passwordHint)}
        autoComplete="new-password"
        required={stored === undefined || moved}
        blank={stored !== undefined}
        hidesError={isSettled}
      />
    </>
  );
}
