import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { PasswordField, TextField } from '../../common/fields.tsx';

/** Form values of a proxy, new or edited. */
interface ProxyValues extends FieldValues {
  host?: string | undefined;
  port?: string | number | undefined;
  username?: string | undefined;
  password?: string | undefined;
}

/** The fields of a proxy: address and credentials. `kept` means that an untouched password stays. */
export function ProxyFields<V extends ProxyValues, O>(props: {
  control: Control<V, unknown, O>;
  password: 'asked' | 'kept';
}) {
  const { control, password } = props;
  // V has these fields by its constraint; FieldPath does not see it.
  const field = (name: keyof ProxyValues & string) => name as FieldPath<V>;
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
        description={password === 'kept' ? t.proxies.passwordHint : undefined}
        autoComplete="new-password"
        required={password === 'asked'}
        blank={password === 'kept'}
      />
    </>
  );
}
