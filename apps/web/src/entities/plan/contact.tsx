import { Anchor, Stack } from '@mantine/core';
import type { Contact } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { IconAt, IconBrandTelegram, IconPhone } from '@tabler/icons-react';

/** How to reach the platform's operator, as links; a sentence while no contact is set. */
export function ContactLines({ contact, none = t.tariff.noContact }: { contact: Contact; none?: string }) {
  const { name, phone, email, telegram } = contact;
  const links = [
    { Icon: IconPhone, text: t.shownPhone(phone), href: `tel:${phone}` },
    { Icon: IconAt, text: email, href: `mailto:${email}` },
    { Icon: IconBrandTelegram, text: telegram && `@${telegram}`, href: `https://t.me/${telegram}` },
  ].filter(({ text }) => text !== '');
  if (name === '' && links.length === 0) return <span>{none}</span>;
  return (
    <Stack gap={6} align="flex-start">
      {name !== '' && <strong>{name}</strong>}
      {links.map(({ Icon, text, href }) => (
        <Anchor
          key={href}
          href={href}
          {...(href.startsWith('https:') && { target: '_blank', rel: 'noopener noreferrer' })}
          display="inline-flex"
          mih={24}
          style={{ alignItems: 'center', gap: 8, overflowWrap: 'anywhere' }}
        >
          <Icon size={16} aria-hidden />
          {text}
        </Anchor>
      ))}
    </Stack>
  );
}
