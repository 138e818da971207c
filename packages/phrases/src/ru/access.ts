/** The sentences of the rule of access: on the gateway's error page and in the console's "Why?". */

const askAdmin = 'Обратитесь к администратору вашей компании.';

/** By reason of a denial. */
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
};

/** The answer to "Why?". */
export const whyPhrases = {
  allowed: (policy: string) => `Доступ есть: его даёт политика «${policy}».`,
  second_factor_required: {
    why: 'Компания требует второй фактор, а у этого человека его нет.',
    advice: 'Пусть войдёт в консоль: она покажет, что делать. Доступ откроется сразу.',
  },
  gateway: 'Этот шлюз',
  links: {
    second_factor: 'Второй фактор включён',
    user_of_company: 'Человек состоит в компании',
    user_of_policy: 'Человек включён в политику доступа',
    policy_with_site: 'Политика открывает этот сайт',
    open_port: 'Порт сайта открыт',
    proxy_allows: 'Прокси политики пропускает этот сайт',
  },
};
