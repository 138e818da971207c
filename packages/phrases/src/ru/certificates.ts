/** Sentences about certificates, for the operator. */

/** Why the files of a certificate cannot be used. `setting` is the setting that names the file. */
export const certificateFaults = {
  certificate: (path: string, setting: string) =>
    `В файле «${path}» нет сертификата в виде PEM. Проверьте настройку ${setting}`,
  key: (path: string, setting: string) =>
    `Ключ в файле «${path}» не читается или не от этого сертификата. Нужен ключ PEM без пароля: настройка ${setting}`,
  /** @param code the system error code, if known */
  unreadable: (path: string, code: string | undefined, setting: string) =>
    `Файл «${path}» не читается (${code ?? 'ошибка'}). Проверьте настройку ${setting}`,
};

/** Why the gateway waits for its certificate. */
export const certificateWait = {
  missing: (path: string) =>
    `Шлюз ждёт сертификат: файла «${path}» ещё нет. Как только он появится, шлюз начнёт работу сам`,
  /** @param user the name of the gateway's user @param folder the file's folder */
  forbidden: (user: string, path: string, folder: string) =>
    `Шлюз ждёт сертификат: пользователь ${user} не может прочитать файл «${path}». ${
      path.startsWith('/etc/letsencrypt/')
        ? 'Отдайте ему копию: скрипт deploy/certbot-deploy-hook в /etc/letsencrypt/renewal-hooks/deploy'
        : `Дайте ему право командой: setfacl -m u:${user}:rX '${folder}' '${path}'`
    }`,
  unusable: (fault: string) => `Шлюз ждёт сертификат. ${fault}`,
};

export const tlsSettingValues = {
  tls: 'auto (сертификаты получает сервер), files (из TLS_CERT и TLS_KEY) или off (TLS у обратного прокси)',
  cert: 'путь к файлу PEM с сертификатом и его цепочкой',
  key: 'путь к файлу PEM с ключом сертификата',
  folder: 'папка, в которой шлюз читает свой сертификат',
  mail: 'почта, на которую центр сертификации пишет о сертификатах',
  directory: 'адрес центра сертификации по ACME, например https://acme-v02.api.letsencrypt.org/directory',
  ca: 'путь к файлу PEM с сертификатом, которому верить у ACME_DIRECTORY',
};

/** Errors of incomplete or contradictory TLS settings. */
export const tlsRefusals = {
  publicUrl: (tls: string) =>
    tls === 'auto'
      ? 'TLS=auto требует PUBLIC_URL с https и именем из DNS, например https://pass.example.ru'
      : `TLS=${tls} требует PUBLIC_URL с https`,
  files: () => 'TLS=files требует TLS_CERT и TLS_KEY',
  ca: (path: string) => `Файл «${path}» не читается. Проверьте настройку ACME_CA`,
};

/** The reply on HTTP_PORT while the server has no certificate yet. */
export const noCertificateYet = () =>
  'Сертификат ещё не получен. Если он не появится за несколько минут, причина есть в журнале сервера.\n';
