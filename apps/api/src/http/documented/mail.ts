import { MailFailure, StuckMail } from '@propusk/contract/mail';
import { named, registered } from './fields.ts';

// OpenAPI texts of mail.

registered.add(MailFailure, {
  id: 'MailFailure',
  description:
    'refused: nothing listens at the address. timeout: no answer in time. no_address: DNS does not know the name. tls: no encryption, or an untrusted certificate. login: user or password refused. rejected: the mail refused. folder: the file could not be written. other: see the log.',
  examples: ['refused'],
});

named(
  'StuckMail',
  StuckMail,
  'Mails that do not leave.',
  {
    count: 'How many mails wait longer than 10 minutes or failed three times.',
    since: 'When the oldest of them was queued; null when none is stuck.',
    failure: 'Why a recent attempt failed; null when none is stuck, or none was tried.',
  },
  { count: 3, since: '2026-03-14T16:05:00.000Z', failure: 'refused' },
);
