// Texts of the list of invitations of companies, and of a registration link that does not work.
import type { InvitationState } from '@propusk/contract/registration';

export const companyInvitations = {
  title: 'Приглашения компаний',
  help: 'Ссылки, по которым регистрируют компании. Приглашение остаётся в списке ещё 30 дней после своего срока.',
  search: 'Поиск по почте',
  empty: 'Приглашений нет',
  madeBy: 'Кто пригласил',
  made: 'Приглашён',
  until: 'Действует до',
  state: 'Состояние',
  states: {
    waiting: 'Ждёт регистрации',
    used: 'Компания создана',
    expired: 'Истекло',
    withdrawn: 'Отозвано',
  } satisfies Record<InvitationState, string>,
  again: 'Пригласить ещё раз',
  againHint: 'Будет новая ссылка. Прежняя сразу перестанет действовать.',
  withdraw: 'Отозвать',
  withdrawQuestion: 'Отозвать приглашение?',
  withdrawHint: 'Ссылка перестанет действовать.',
  withdrawn: 'Приглашение отозвано',
};

export const deadInvitation = {
  title: 'Приглашение не действует',
  hints: {
    used: 'По этой ссылке компания уже зарегистрирована. Если это сделали вы, войдите с почтой и паролем.',
    expired: 'Срок приглашения вышел. Попросите администратора этой платформы прислать вам новое.',
    withdrawn:
      'Администратор этой платформы отозвал приглашение. Если это ошибка, попросите его прислать новое.',
    unknown:
      'Возможно, вам прислали новую ссылку: тогда откройте её. Если нет, попросите администратора этой платформы прислать новое приглашение.',
  },
};
