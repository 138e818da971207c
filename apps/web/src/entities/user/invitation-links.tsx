import type { MadeInvitations } from '@propusk/contract/invitations';
import * as t from '@propusk/phrases/console';
import type { OnClose } from '../../forms/dialog.tsx';
import { MadeLinks } from '../../forms/made-links.tsx';
import { formatMoment } from '../../ui/day.tsx';

/** The links of invitations that the server could not mail. */
export function InvitationLinks({ made, onClose }: { made: MadeInvitations; onClose: OnClose }) {
  return (
    <MadeLinks
      title={t.invitations.linksTitle}
      hint={t.invitations.byHand(formatMoment(made.expiresAt))}
      links={made.invitations.map(({ email, link }) => ({
        label: email,
        link,
        copyLabel: t.invitations.copy(email),
      }))}
      onClose={onClose}
    />
  );
}
