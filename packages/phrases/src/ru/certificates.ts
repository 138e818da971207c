/** Sentences about certificates, for the operator. */

/** Why the files of a certificate are of no use. `setting` names the file's setting. */
export const certificateFaults = {
  certificate: (path: string, setting: string) =>
    `В файле «${path}» нет сертификата в виде PEM. Проверьте настройку ${setting}`,
  key: (path: string, setting: string) =>
    `Ключ в файле «${path}» не читается или не от этого сертификата. Нужен ключ PEM без пароля: настройка ${setting}`,
  /** @param code the system's code, when it gave one */
  unreadable: (path: string, code: string | undefined, setting: string) =>
    `Файл «${path}» не читается (${code ?? 'ошибка'}). Проверьте настройку ${setting}`,
};

/** The gateway waits for its certificate. */
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
