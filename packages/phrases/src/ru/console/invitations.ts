// Texts for inviting agents by mail.

import { count, days as countDays } from '../count.ts';

const invited = (n: number) => count(n, { one: 'приглашение', few: 'приглашения', many: 'приглашений' });

export const invitations = {
  open: 'Пригласить по почте',
  title: 'Пригласить по почте',
  hint: (days: number) =>
    `Каждый получит ссылку, сам задаст пароль и увидит, как открыть сайты. Ссылка действует ${countDays(days)} и срабатывает один раз.`,
  emails: 'Почта сотрудников',
  emailsHint: 'Один адрес или несколько: через запятую, пробел или с новой строки',
  wrong: (address: string, fault: string) => `${address}: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`,
  send: 'Пригласить',
  sent: (n: number) => `Отправлено: ${invited(n)}`,
  linksTitle: 'Ссылки приглашённых',
  byHand: (until: string) =>
    `Отправка писем на сервере не настроена. Передайте каждому его ссылку сами: больше мы её не покажем. Она действует до ${until} и срабатывает один раз.`,
  copyAll: 'Копировать все',
  copy: (email: string) => `Копировать ссылку для ${email}`,
  until: (day: string) => `Приглашение до ${day}`,
  ended: 'Приглашение истекло',
  again: 'Пригласить ещё раз',
  withdraw: 'Отозвать приглашение',
  withdrawQuestion: 'Отозвать приглашение?',
  withdrawHint: 'Ссылка перестанет действовать.',
  withdrawn: 'Приглашение отозвано',
};
