/** What every server's lines are made of. */
export interface Lock {
  /** The site as it is stored: `crm.example.ru`, `*.example.ru`, `crm.example.ru:8443`. Nothing else comes here. */
  readonly address: string;
  /** Whom the lock lets in: canonical literals, at least one. */
  readonly egress: readonly string[];
  /** From where a CDN calls: canonical networks, at least one. */
  readonly cdn: readonly string[];
}

/**
 * The file that a certificate authority asks for (RFC 8555, section 8.3): the token is base64url. With a dot, a slash, a
 * percent sign or anything more in it a path is not that file, so it cannot lead anywhere else either.
 */
const token = '[A-Za-z0-9_-]+';
const folder = '/\\.well-known/acme-challenge/';
export const ACME_PATH = `${folder}${token}`;
/** The same with the token as a group. */
export const ACME_TOKEN = `${folder}(${token})`;

/** The first line of every text: whose it is and what it does. */
export function headline({ address }: Lock): string {
  return `# Пропуск: ${address} открывается только через прокси компании`;
}

const ownRequests =
  'Замок закрывает сайт и для программ: вебхуков, уведомлений о платежах, мониторинга, запросов сайта к самому себе (wp-cron).';
const renewal =
  'Файлы для продления сертификата остаются открытыми. Убедитесь, что продление работает: certbot renew --dry-run.';
const proveIt = 'Вставив строки, нажмите «Проверить»: только проверка показывает, что замок работает.';

/** What people must know whatever server they have. */
export const everyLock: readonly string[] = [ownRequests, renewal, proveIt];
/** The same where no file is left open for certificates. */
export const everyLockButFiles: readonly string[] = [ownRequests, proveIt];

/** What people must know who have a CDN in front of the site. */
export const cdnNotes: readonly string[] = [
  'Этот вариант нужен, только если домен включён в Cloudflare (оранжевое облако). Замок верит заголовку CF-Connecting-IP лишь от адресов Cloudflare: подделать его, обращаясь к серверу прямо, нельзя.',
  'Отключите для этого сайта кеш Cloudflare (Cache Rules → Bypass cache): из кеша страницы раздаются всем, до сервера запрос не доходит.',
  'Список адресов Cloudflare меняется редко; сверяйте его раз в год с cloudflare.com/ips.',
];

/** A literal as a regular expression that means it alone. */
export function literal(address: string): string {
  return address.replaceAll('.', '\\.');
}
