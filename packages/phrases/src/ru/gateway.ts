/** Sentences of the gateway's error page and command line. */

const askAdmin = 'Обратитесь к администратору вашей компании.';
const tryLater =
  'Попробуйте ещё раз через минуту. Если не поможет, обратитесь к администратору вашей компании.';
const signIn = 'Войдите в расширение «Пропуск» или получите новый пароль шлюза в «Персональных данных».';

/** Sentences for failed requests, by reason. The reasons that policies cause are in access.ts. */
export const proxyErrors = {
  no_credentials: { why: 'Шлюз не получил ваш логин и пароль.', advice: signIn },
  bad_credentials: { why: 'Шлюз не принял логин или пароль.', advice: signIn },
  expired: { why: 'Пароль шлюза больше не действует: его срок вышел, или доступ отозван.', advice: signIn },
  address_refused: {
    why: 'Имя сайта ведёт на внутренний или служебный адрес: такие шлюз не открывает.',
    advice: askAdmin,
  },
  resolve_failed: { why: 'Имя сайта не найдено в DNS.', advice: 'Проверьте адрес.' },
  no_family: {
    why: 'Сайт и шлюз не могут соединиться: у одного только адреса IPv4, у другого только IPv6.',
    advice:
      'Обратитесь к администратору вашей компании: сайту нужен адрес того вида, который есть у шлюза (запись A или AAAA), или шлюзу нужен исходящий адрес того вида, который есть у сайта, и замок сайта должен его разрешать.',
  },
  names_busy: {
    why: 'Слишком много сайтов ждут ответа DNS, поэтому шлюз пока не ищет адреса новых.',
    advice:
      'Попробуйте ещё раз через минуту. Если не поможет, обратитесь к администратору вашей компании: вероятно, у одного из её сайтов не отвечает DNS-сервер.',
  },
  connect_failed: { why: 'Сайт не принял соединение или оборвал его.', advice: tryLater },
  bad_response: {
    why: 'Ответ сайта нарушает правила HTTP.',
    advice: 'Обратитесь к администратору вашей компании: ошибка в настройке сайта или его сервера.',
  },
  upstream_failed: { why: 'Прокси компании не пропустил запрос.', advice: tryLater },
  timeout: { why: 'Сайт не ответил вовремя.', advice: tryLater },
  snapshot_stale: {
    why: 'Шлюз давно не получал данных о доступе, поэтому закрыл доступ всем.',
    advice: tryLater,
  },
  bad_request: {
    why: 'По этому адресу работает прокси-сервер, а не сайт.',
    advice: 'Укажите этот адрес как прокси в настройках браузера или войдите в расширение «Пропуск».',
  },
  sni_mismatch: {
    why: 'В соединении с одним сайтом запрошен другой.',
    advice:
      'Откройте сайт по его обычному адресу. Если не поможет, обратитесь к администратору вашей компании.',
  },
  loop: { why: 'Запрос вернулся на шлюз, который его отправил.', advice: askAdmin },
  too_many: {
    why: 'Слишком много одновременных соединений.',
    advice: 'Закройте лишние вкладки и попробуйте ещё раз.',
  },
  ended: {
    why: 'Владелец вашей компании завершил это соединение.',
    advice: 'Если доступ у вас остался, откройте сайт ещё раз.',
  },
  stopping: { why: 'Шлюз перезапускается.', advice: 'Попробуйте ещё раз через минуту.' },
};

/** More precise sentences in place of a reason's `why`; `{status}` is the upstream's status code. */
export const proxyErrorDetails = {
  connect_only: 'Этот протокол идёт через прокси только методом CONNECT.',
  credentials_in_url: 'В адресе не должно быть логина и пароля.',
  headers_too_large: 'Заголовки запроса слишком велики: больше 64 КиБ. Очистите cookie этого сайта.',
  bad_url: 'В адресе страницы есть недопустимые знаки.',
  http_version: 'Шлюз принимает запросы HTTP/1.0 и HTTP/1.1.',
  transfer_coding: 'Запрос сжат способом, который шлюз не передаёт.',
  request_timeout: 'Запрос не пришёл вовремя.',
  tunnel_silent: 'Соединение открыто, но по нему ничего не передано.',
  site_proxy_challenge: 'Сайт ответил так, как должен отвечать только прокси.',
  upstream_address_refused: 'У прокси компании внутренний адрес: к таким шлюз не подключается.',
  upstream_resolve_failed: 'Имя прокси компании не найдено в DNS.',
  upstream_connect_failed: 'Прокси компании не принимает соединений.',
  upstream_timeout: 'Прокси компании не отвечает.',
  upstream_broken: 'Прокси компании оборвал соединение.',
  upstream_invalid_http: 'Ответ прокси компании нарушает правила HTTP.',
  upstream_credentials: 'Прокси компании не принял логин и пароль шлюза.',
  upstream_site_timeout: 'Прокси компании не дождался ответа сайта.',
  upstream_status: 'Прокси компании отказал: ответ {status}.',
};

/** Headings of the error page by status, and its link to the console. */
export const errorPage = {
  headings: {
    400: 'Запрос не понят',
    403: 'Доступ закрыт',
    407: 'Нужен пропуск',
    502: 'Сайт не открылся',
    503: 'Шлюз временно не работает',
    504: 'Сайт не ответил',
  } as Readonly<Record<number, string>> & { readonly 403: string },
  openConsole: 'Открыть «Пропуск»',
};

/** Warnings that the gateway prints when it starts. */
export const startWarnings = {
  localOnly: (host: string, url: string) =>
    `Шлюз слушает только этот компьютер (${host}), а пользователи идут на ${url}. Укажите GATEWAY_HOST=0.0.0.0, если перед шлюзом нет своего прокси`,
};

/** Errors that prevent the start of the gateway. */
export const startErrors = {
  metricsPort: (port: number) =>
    `Порт ${port} на 127.0.0.1 не открывается. Укажите другой порт в настройке GATEWAY_METRICS_PORT`,
  portTaken: (port: number, host: string) =>
    `Порт ${port} на ${host} занят другой программой. Укажите другой порт в настройке GATEWAY_PORT`,
  portForbidden: (port: number) =>
    `Нет права слушать порт ${port}. Укажите порт от 1024 в настройке GATEWAY_PORT`,
  notLocal: (address: string, setting: 'GATEWAY_HOST' | 'GATEWAY_EGRESS') =>
    `У этой машины нет адреса «${address}». Укажите её адрес в настройке ${setting}`,
  plain: (host: string) =>
    `Шлюз без сертификата не слушает ${host}: пароли пользователей шли бы по сети открытым текстом. Задайте GATEWAY_TLS_CERT и GATEWAY_TLS_KEY, уберите GATEWAY_HOST или, если TLS завершает балансировщик перед шлюзом, задайте GATEWAY_PLAIN=anyone`,
  dataDir: (folder: string, code: string) =>
    `Папка данных «${folder}» не читается (${code}). Проверьте права на неё или укажите другую в настройке DATA_DIR`,
  tlsHalf: (given: string, missing: string) =>
    `Задана настройка GATEWAY_TLS_${given}, а GATEWAY_TLS_${missing} нет: нужны обе`,
};
