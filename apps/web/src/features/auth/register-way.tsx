import { Anchor } from '@mantine/core';
import { registrationMode } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { paths } from '../../paths.ts';
import { useReply } from './use-reply.ts';

/** The link to the registration. Empty before the reply and while strangers may not register; after a failure the server decides. */
export function RegisterWay() {
  const { reply, error } = useReply((signal) => call(registrationMode, {}, signal));
  if (reply?.mode !== 'open' && error === null) return null;
  return (
    <span>
      {t.registerWay.noAccount}{' '}
      <Anchor component={Link} to={paths.register}>
        {t.registerWay.toRegister}
      </Anchor>
    </span>
  );
}
