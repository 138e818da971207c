/** Why access is denied or allowed: sentences of the gateway's error page and of the console's access check. */

const askAdmin = 'Обратитесь к администратору вашей компании.';
const askEarlier = 'Если доступ нужен раньше, обратитесь к администратору вашей компании.';

/** Sentences for the denied user, by reason. */
export const denyPhrases = {
  user_removed: { why: 'У вас больше нет доступа через этот шлюз.', advice: askAdmin },
  bad_host: {
    why: 'Адрес не является именем сайта. Через шлюз открывают сайты по имени, а не по IP-адресу.',
    advice: 'Проверьте адрес.',
  },
  port_refused: { why: 'Этот порт сайта не открыт.', advice: askAdmin },
  site_unknown: { why: 'Этого сайта нет среди сайтов вашей компании.', advice: askAdmin },
  no_policy: { why: 'Ваши политики доступа не включают этот сайт.', advice: askAdmin },
  host_taken: {
    why: 'Этот сайт на общем прокси закреплён за другой компанией.',
    advice: 'Администратор вашей компании может открыть его через собственный прокси.',
  },
  plan_ended: {
    why: 'Этот сайт открывался через платный прокси, а он больше не входит в тариф вашей компании.',
    advice: askAdmin,
  },
  suspended: { why: 'Ваш доступ приостановлен.', advice: askAdmin },
  not_yet: { why: 'Ваш доступ к этому сайту ещё не начался.', advice: askEarlier },
  right_ended: { why: 'Срок вашего доступа к этому сайту истёк.', advice: askAdmin },
  outside_hours: {
    why: 'Сейчас этот сайт для вас закрыт: он открыт только в рабочие часы.',
    advice: askEarlier,
  },
  clock_unknown: {
    why: 'Шлюз ещё не знает точного времени, поэтому пока не открывает сайты, доступ к которым ограничен по времени.',
    advice: 'Попробуйте ещё раз через минуту.',
  },
};

const quoted = (names: readonly string[]) => names.map((name) => `«${name}»`).join(', ');

const lacksFactor = {
  why: 'Компания требует второй фактор, а у этого пользователя его нет.',
  advice: 'Пусть войдёт в консоль: она покажет, что делать. Доступ откроется сразу.',
};

const unconfirmed = {
  why: 'Почта компании ещё не подтверждена, и шлюз никого из неё не пропускает.',
  advice:
    'Владельцу компании нужно подтвердить почту: как это сделать, консоль пишет ему вверху страницы. Доступ откроется сразу.',
};

const pending = {
  why: 'Пользователь ещё не принял приглашение: по ссылке из письма он задаст пароль.',
  advice: 'Отправьте приглашение ещё раз в разделе «Пользователи».',
};

/** Sentences for an owner about a denied user, by reason. */
const ofPerson = {
  user_removed: {
    why: 'Этого пользователя больше нет в компании.',
    advice: 'Добавьте его в разделе «Пользователи».',
  },
  bad_host: { why: 'Адрес не является именем сайта.', advice: 'Исправьте адрес сайта.' },
  port_refused: {
    why: 'Этот порт сайта не открыт.',
    advice: 'Укажите порт в адресе сайта, например crm.example.ru:8443.',
  },
  site_unknown: { why: 'Этого сайта нет среди сайтов компании.', advice: 'Добавьте его в разделе «Сайты».' },
  host_taken: {
    why: 'Этот сайт на общем прокси закреплён за другой компанией.',
    advice: 'Откройте его через собственный прокси: выберите его в политике доступа.',
  },
  plan_ended: {
    why: 'Политика открывает этот сайт через платный прокси, а он больше не входит в тариф компании.',
    advice: 'Выберите в политике другой прокси или запросите тариф с платными прокси на странице «Тариф».',
  },
  suspended: {
    why: 'Доступ пользователя приостановлен.',
    advice: 'Снимите приостановку в разделе «Пользователи».',
  },
  not_yet: {
    why: 'Политика, которая открывает этот сайт, ещё не начала действовать.',
    advice: 'Измените начало в разделе «Политики доступа».',
  },
  right_ended: {
    why: 'Срок доступа пользователя к этому сайту истёк.',
    advice: 'Продлите его в разделе «Политики доступа».',
  },
  outside_hours: {
    why: 'Политика открывает этот сайт только в указанные часы, и сейчас они не идут.',
    advice: 'Измените часы в разделе «Политики доступа».',
  },
  clock_unknown: {
    why: 'Шлюз ещё не получил точного времени, поэтому пока не открывает сайты, доступ к которым ограничен по времени.',
    advice: 'Проверьте ещё раз через минуту.',
  },
  second_factor_required: lacksFactor,
  company_unconfirmed: unconfirmed,
  invitation_pending: pending,
};

/** @param mends names of policies that would grant access @param holds whether the user is in any policy */
function noPolicy(mends: readonly string[], holds: boolean): { why: string; advice: string } {
  const [only] = mends;
  if (only === undefined && !holds) {
    return {
      why: 'У пользователя нет политик доступа.',
      advice: 'Назначьте сайту политику и добавьте в неё этого пользователя.',
    };
  }
  if (only === undefined) {
    return {
      why: 'Этот сайт пользователю не открывает ни одна политика доступа.',
      advice: 'Назначьте сайту политику, в которой состоит этот пользователь.',
    };
  }
  if (mends.length === 1) {
    return {
      why: `Пользователь не состоит в политике «${only}».`,
      advice: 'Добавьте его, и сайт откроется сразу.',
    };
  }
  return {
    why: `Пользователь не состоит ни в одной из политик этого сайта: ${quoted(mends)}.`,
    advice: 'Добавьте его в одну из них, и сайт откроется сразу.',
  };
}

/** Sentences of the console's access check. */
export const whyPhrases = {
  person: (reason: keyof typeof ofPerson | 'no_policy', mends: readonly string[], holds: boolean) =>
    reason === 'no_policy' ? noPolicy(mends, holds) : ofPerson[reason],
  allowed: (policy: string) => `Доступ есть: его даёт политика «${policy}».`,
  second_factor_required: lacksFactor,
  company_unconfirmed: unconfirmed,
  invitation_pending: pending,
  gateway: 'Шлюз платформы',
  links: {
    not_suspended: 'Доступ пользователя не приостановлен',
    policy_open: 'Время действия политики идёт',
    company_confirmed: 'Почта компании подтверждена',
    password_set: 'Пользователь принял приглашение',
    second_factor: 'Второй фактор включён',
    user_of_company: 'Пользователь состоит в компании',
    user_of_policy: 'Пользователь включён в политику доступа',
    policy_with_site: 'Политика открывает этот сайт',
    open_port: 'Порт сайта открыт',
    proxy_allows: 'Прокси политики открывает этот сайт',
  },
};

/** Words in the paths of Russian sites that can mean an action, such as a sign-out: a probe requests no such path. */
export const actionWords = ['выход', 'выйти', 'удалить'];
