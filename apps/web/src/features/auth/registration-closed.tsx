import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { AuthPage } from './auth-page.tsx';

/** Takes the place of the registration form where it would be refused, and says whom to ask. */
export function RegistrationClosed({ byInvitation }: { byInvitation: boolean }) {
  return (
    <AuthPage
      title={t.registration.closedTitle}
      hint={byInvitation ? t.registration.closedToStrangers : t.registration.closedToAll}
      footer={t.registration.closedColleague}
    >
      <Button size="md" fullWidth component={Link} to={paths.login}>
        {t.auth.signIn}
      </Button>
    </AuthPage>
  );
}
