/** Sentences about environment settings: their allowed values and their errors. */

const secret = 'не меньше 32 случайных символов';
const dataDir = 'папка для данных';
const logLevel = 'fatal, error, warn, info, debug, trace или silent';

/** The error sentence of `readSettings` and descriptions of its value types (packages/contract/src/settings.ts). */
export const settingPhrases = {
  wholeNumber: (min: number, max: number, reason: string) =>
    `целое число от ${min} до ${max}${reason === '' ? '' : ` (${reason})`}`,
  listenAddress: () => 'адрес, на котором слушать, например 127.0.0.1',
  origin: () => 'адрес вида https://pass.example.ru, без пути',
  refused: (name: string, given: string | null | undefined, takes: string) =>
    `Настройка ${name} ${given === undefined ? 'не задана' : given === null ? 'задана неверно' : `задана неверно: «${given}»`}. Она принимает: ${takes}`,
};

export const apiSettingValues = {
  secret,
  logLevel,
  dataDir,
  apiMetricsPort: 'порт от 0 до 65535 на 127.0.0.1 для /metrics',
  apiDocs: 'open или closed',
  helpUrl: 'адрес базы знаний, например https://wiki.example.ru/pass',
  databaseUrl: 'адрес PostgreSQL 15 или новее: postgresql://user:password@host/database',
  extensionDir: 'папка для подписанных сборок расширения',
  chromiumStore:
    'адрес расширения на chromewebstore.google.com, который кончается его идентификатором из 32 букв',
  firefoxStore: 'адрес расширения на addons.mozilla.org вида https://addons.mozilla.org/firefox/addon/ИМЯ/',
  smtpUrl:
    'почтовый сервер: smtp://user:password@host:port или smtps://…; знаки в имени и пароле: # → %23, / → %2F, ? → %3F, % → %25',
  mailFrom: 'адрес, от которого уходят письма: pass@example.ru или Пропуск <pass@example.ru>',
  trustProxy: 'адреса и сети обратных прокси через запятую, например 127.0.0.1,10.0.0.0/8',
  registration:
    'open (регистрируется любой), invited (по приглашению администратора платформы) или closed (никто)',
  diskReserve: 'файл, который держит место на диске базы данных',
  adminEmail: 'почта первого администратора',
  adminPassword: 'пароль первого администратора, не меньше 8 символов',
};

export const gatewaySettingValues = {
  secret,
  dataDir,
  logLevel,
  snapshotMaxAge:
    'сервер подтверждает права раз в 15 секунд: с меньшим сроком шлюз отказывал бы всем и при исправном сервере',
  tunnelIdle: 'минуты, после которых шлюз закрывает соединение без данных',
  recordSpool:
    'мегабайты на диске для записей о доступе, которые сервер ещё не принял; 0 означает хранить только в памяти',
  accessLog: 'путь к файлу для строк JSON о доступе, или - для стандартного вывода',
  tlsCert: 'путь к файлу PEM с сертификатом и его цепочкой',
  tlsKey: 'путь к файлу PEM с ключом сертификата',
  plain:
    'loopback (без сертификата шлюз слушает только этот компьютер) или anyone (слушает всех: TLS перед ним завершает балансировщик)',
  metricsPort: 'порт от 0 до 65535 на 127.0.0.1 для /health и /metrics',
  proxyProtocol: 'адреса и сети балансировщиков TCP через запятую, например 10.0.0.4,10.0.1.0/24',
};

/** Errors of incomplete or contradictory api settings. */
export const apiSettingRefusals = {
  apiSecretsMissing: () =>
    'Задайте DATABASE_URL, SECRET_KEY и GATEWAY_SECRET, или запустите npm start: он сделает их сам',
  openWithoutMail: () =>
    'REGISTRATION=open за пределами этого компьютера требует SMTP_URL: новые компании подтверждают почту',
  adminIncomplete: () => 'Настройки ADMIN_EMAIL и ADMIN_PASSWORD задают вместе',
};

/** The sender's display name in the default of MAIL_FROM. */
export const senderName = 'Пропуск';
