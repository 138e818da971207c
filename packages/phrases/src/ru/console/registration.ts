// Texts that the registration page shows instead of its form when registration is closed.

export const registration = {
  closedTitle: 'Регистрация закрыта',
  closedToStrangers:
    'Новые компании здесь появляются по приглашению. Попросите администратора этой платформы прислать вам ссылку: по ней откроется регистрация.',
  closedToAll:
    'Новых компаний здесь сейчас не регистрируют. Если доступ вам нужен, обратитесь к администратору этой платформы.',
  closedColleague: 'Ваша компания уже здесь? Тогда аккаунт вам создаст её владелец.',
  invitedEmail: 'Приглашение отправлено на эту почту',
};
