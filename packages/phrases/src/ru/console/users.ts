// Texts of the lists and dialogs of users.

export const users = {
  title: 'Пользователи',
  help: 'Пользователи компании. Политики доступа дают пользователям доступ к определённым сайтам: назначьте пользователю политику, и ему откроются её сайты. Агент открывает сайты, Пользователь (владелец) управляет компанией. Удалённый пользователь теряет доступ сразу.',
  search: 'Поиск пользователя',
  person: 'Имя',
  name: 'Имя',
  surname: 'Фамилия',
  email: 'Почта',
  ownEmailHint:
    'Почту владельца и администратора меняет только он сам, по ссылке из письма: «Персональные данные»',
  password: 'Пароль',
  newPassword: 'Новый пароль',
  proofHint: 'Почта и пароль дают вход. Чтобы изменить их другому пользователю, введите свой пароль.',
  newPasswordHint: 'Оставьте пустым, чтобы не менять пароль',
  roles: 'Роли',
  role: { ADMIN: 'Админ', USER: 'Агент', CREATOR: 'Пользователь' },
  /** Added to the specification's name of the role CREATOR, because that name is also the word for any user. */
  owner: 'владелец',
  /** What a user with each role may do, for the tooltip of the role. */
  may: {
    ADMIN: 'Администратор платформы: управляет всеми компаниями, их пользователями и прокси-серверами',
    USER: 'Открывает сайты своих политик доступа. В консоли видит только свои данные, сайты и политики',
    CREATOR: 'Владелец компании: управляет её пользователями, сайтами, прокси-серверами и политиками доступа',
  },
  policies: 'Политики доступа',
  noPolicies: 'Без доступа',
  invited: 'Приглашены',
  suspended: 'Приостановленные',
  /** @param day the last day, or null for a suspension without an end */
  isSuspended: (day: string | null) => `Приостановлен${day === null ? '' : ` до ${day}`}`,
  suspendUntil: 'До даты',
  suspendUntilHint: 'Последний день без доступа. Оставьте пустым, если срок неизвестен',
  neverVisited: 'Ни разу не заходили',
  extensions: { signed_in: 'Подключено', blocked: 'Мешает другая программа', none: 'Не подключено' },
  /** @param agent browser and system @param seen the time of the last call */
  extensionSeen: (agent: string, version: string | null, seen: string) =>
    `Расширение: ${agent}${version === null ? '' : `, версия ${version}`}, последний раз ${seen}`,
  proxyHeld: {
    extension: 'Прокси занят другим расширением',
    policy: 'Прокси занят политикой браузера',
  },
  remind: 'Напомнить о расширении',
  reminded: (n: number) => `Напоминание отправлено: ${n}`,
  company: 'Компания',
  heldHint: 'Здесь доступ можно только отобрать. Выдаёт его владелец компании в своём разделе',
  createNamed: (typed: string) => `Добавить пользователя «${typed}»`,
  create: 'Новый пользователь',
  edit: 'Edit user',
  empty: 'Пользователей пока нет',
  emptyHint: 'Добавьте сотрудников, которым нужны сайты компании.',
  allHelp:
    'Пользователи всех компаний и администраторы платформы. Политики доступа дают пользователям доступ к определённым сайтам; их назначает владелец компании. Удалённый пользователь теряет доступ сразу.',
  remove: 'Do you really want to delete the user?',
};
