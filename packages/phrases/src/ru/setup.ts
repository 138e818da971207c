import type { MailFailure } from '@propusk/contract/mail';
import { stuckMail } from './console/company.ts';
import { refusedChains } from './state.ts';

const example = 'propusk setup pass.example.ru admin@example.ru';

/** Paths that the user of a service cannot access. `right` is the missing permission: `x` for folders, `r` for files. */
interface Closed {
  readonly user: string;
  readonly right: string;
  readonly paths: readonly string[];
}
const grant = ({ user, right, paths }: Closed) =>
  `setfacl -m u:${user}:${right} ${paths.map((path) => `'${path.replaceAll("'", String.raw`'\''`)}'`).join(' ')}`;
const day = (date: Date) => date.toLocaleDateString('ru-RU');

/** `propusk setup` and `propusk first-links`. */
export const setupPhrases = {
  usage:
    () => `propusk setup ДОМЕН ПОЧТА   настроить сервер: адреса, сертификаты, почта, служба, первые ссылки

  --gateway ИМЯ      имя шлюза: gw.ДОМЕН, если оно есть в DNS, иначе ДОМЕН
  --tls auto         сертификаты получает сам «Пропуск» (по умолчанию)
  --tls files        ваши файлы: --cert ФАЙЛ --key ФАЙЛ
  --tls off          консоль за вашим nginx; шлюзу нужны --cert и --key
  --smtp -           почтовый сервер со стандартного ввода: smtp://имя:пароль@сервер:587
  --smtp АДРЕС       почтовый сервер без пароля: smtp://сервер:25
  --address АДРЕС    публичный адрес сервера за NAT, можно повторить
  --owner ПОЧТА      кому приглашение первой компании
  --invite           сделать первые ссылки заново
  --wait СЕКУНДЫ     сколько ждать DNS и запуска, обычно 600
  --yes              не спрашивать
  --undo             вернуть прежний файл настроек`,
  // Errors in the command's arguments.
  unfit: {
    missing: () => `Укажите домен консоли и почту администратора: ${example}`,
    domain: (typed: string) =>
      `«${typed}» — не имя домена. Сначала имя, как в DNS, без https://, порта и пути, затем почта: ${example}`,
    mail: (typed: string) => `«${typed}» — не адрес почты. Укажите почту администратора: ${example}`,
    owner: () =>
      'После --owner нужна почта владельца компании, не та, что у администратора: --owner owner@example.ru',
    smtp: () =>
      'Пароль в команде виден всем пользователям сервера: укажите --smtp - и передайте адрес на стандартный ввод',
    gateway: () => 'После --gateway нужно имя шлюза, как в DNS: --gateway gw.example.ru',
    tls: () => 'После --tls пишут auto, files или off: --tls auto',
    files: () => 'Нужны оба файла, сертификат и ключ: --cert ФАЙЛ --key ФАЙЛ',
    wait: () => 'После --wait нужно целое число секунд: --wait 600',
    extra: (typed: string) => `«${typed}» здесь лишнее. Команда выглядит так: ${example}`,
    option: (name: string) => `Параметра ${name} нет. Все параметры: propusk setup --help`,
    value: (name: string) => `Параметр ${name} написан не так. Как его писать: propusk setup --help`,
    input: () => 'На стандартном вводе нет адреса почтового сервера: smtp://имя:пароль@сервер:587',
  },
  noFile: (path: string) => `Файла ${path} нет: проверьте путь. Ничего не изменено`,
  hiddenFile: (path: string) =>
    `Файл ${path} лежит в папке, которую службы не видят. Скопируйте сертификат и ключ, например в /etc/propusk/tls, и назовите копии. Ничего не изменено`,
  /** @param hasAcl whether setfacl is installed */
  closedFiles: (closed: readonly Closed[], hasAcl: boolean) => {
    const lists = closed.map(({ user, paths }) => `пользователю ${user} — ${paths.join(', ')}`);
    // A renewal by certbot creates new files without the permissions that setfacl gave.
    const isCertbot = closed.some(({ paths }) => paths.some((path) => path.startsWith('/etc/letsencrypt/')));
    const mend = isCertbot
      ? 'certbot при продлении заменит и файлы, и права: возьмите --tls auto, а для одного шлюза копии, которые делает deploy/certbot-deploy-hook'
      : `Откройте их: ${[...(hasAcl ? [] : ['apt install acl']), ...closed.map(grant)].join(' && ')}`;
    return `Файлы сертификата закрыты: ${lists.join('; ')}. ${mend}. Ничего не изменено`;
  },
  certificateTime: (path: string, from: Date, to: Date) =>
    `Сертификат ${path} действует с ${day(from)} по ${day(to)}. Возьмите действующий и проверьте часы сервера. Ничего не изменено`,
  certificateName: (path: string, name: string, names: string) =>
    `Сертификат ${path} не на имя ${name}${names && `, а на ${names.replaceAll('DNS:', '')}`}. Возьмите сертификат на это имя или назовите другое. Ничего не изменено`,
  notEditable: () =>
    'Файл настроек не удаётся изменить построчно: запишите значения в нескольких строках одной строкой',

  waitsForDns: (name: string, found: readonly string[], own: readonly string[]) =>
    `DNS: ${name} → ${found.join(', ') || 'записи нет'}, адрес этого сервера: ${own.join(', ')}. Жду`,
  dnsRight: (name: string, found: readonly string[]) => `DNS: ${name} → ${found.join(', ')}`,
  dnsWrong: (names: readonly string[]) =>
    `DNS не ведёт на этот сервер: ${names.join(', ')}. Исправьте записи A и AAAA (лишние удалите) и повторите. Ничего не изменено`,
  noPublicAddress: () =>
    'У сервера нет публичного адреса на интерфейсах: DNS сверить не с чем. Если он за NAT, добавьте --address АДРЕС',
  portTaken: (port: number, name: string, setting: string, settings: string) =>
    `Порт ${port} занят программой ${name || '(её покажет ss -ltnp)'}. Остановите её (службу: systemctl disable --now ${name || 'ИМЯ'}) или ${
      // HTTP-01 always uses port 80 (RFC 8555 section 8.3), so another port does not help.
      setting === 'HTTP_PORT' ? 'повторите с --tls off' : `задайте другой порт, ${setting} в ${settings}`
    }. Ничего не изменено`,
  behindNginx: (port: number, config: string) =>
    `Порт ${port} занят nginx. Продолжаю с --tls off: консоль будет за ним. Проверенная конфигурация: ${config}. Если nginx не нужен, остановите его и повторите: systemctl disable --now nginx`,
  stopped: ({ title, text, mend }: { title: string; text: string; mend: string | null }) =>
    `${title}: ${text} ${mend ?? ''} Ничего не изменено`,
  caRefuses: (fault: string) =>
    `Пробный сертификат не выдан: ${fault}. Чаще всего порт 80 закрыт у хостинга. Ничего не изменено`,
  gatewayWithoutTls: () =>
    'Шлюз остаётся на 127.0.0.1: без сертификата его не открывают. Повторите с --cert ФАЙЛ --key ФАЙЛ',

  askSmtp: () => 'Почтовый сервер, smtp://имя:пароль@сервер:587 (Enter — позже): ',
  testMail: (consoleUrl: string) => ({
    subject: 'Проверка почты «Пропуска»',
    text: `Это проверочное письмо. «Пропуск» на ${consoleUrl} может отправлять почту.`,
  }),
  mailSent: (to: string, reply: string) => `Письмо для ${to} принято сервером: ${reply}`,
  // `reply` is the mail server's response or, for an unknown error without a response, the error's message.
  mailRefused: (failure: MailFailure, reply: string | undefined) =>
    `Письмо не ушло. ${failure === 'other' ? '' : `${stuckMail.failures[failure]} `}${reply === undefined ? '' : `Ответ: ${reply}`}`.trim(),

  notWritten: (path: string) => `Не удалось записать ${path}`,
  changes: (path: string, lines: readonly string[]) => `Изменится ${path}:\n${lines.join('\n')}`,
  unchanged: (path: string) => `${path} менять не нужно`,
  confirm: () => 'Записать? [Да/нет] ',
  // Whether the typed answer means yes; an empty answer does.
  isYes: (answer: string) => /^(|д|да|y|yes)$/i.test(answer.trim()),
  needsYes: () => 'Спросить некого: запустите в терминале или с --yes. Ничего не изменено',
  declined: () => 'Ничего не изменено',
  nothingToUndo: (path: string) => `Прежнего файла ${path} нет: отменять нечего`,
  undone: (path: string, undone: string) =>
    `${path} возвращён, служба перезапущена. Отменённые настройки: ${undone}`,

  failed: (command: string) => `Команда не удалась: ${command}`,
  starting: () => 'Запускаю службу propusk',
  notAnswering: (url: string, fault: string, logged: string) =>
    `${url} не отвечает как нужно: ${(refusedChains[fault] ?? fault).replace(/\.$/, '')}.${logged && ` В журнале: ${logged}`}`,
  waits: (line: string) => `Жду. ${line}`,
  /** @param failure why the restart with the previous settings failed; null when it succeeded */
  restored: (fault: string, path: string, failure: string | null) =>
    `${fault}. Прежний ${path} возвращён${failure === null ? '' : `, но: ${failure}`}. Исправьте это и повторите команду; подробно: journalctl -u 'propusk*'`,
  healthy: (url: string) => `${url} отвечает${url.startsWith('https:') ? ', сертификат действителен' : ''}`,
  proxyMissing: (url: string, fault: string, config: string) =>
    `«Пропуск» работает, но ${url} пока не отвечает (${fault}): настройте nginx по ${config}`,
  firstLinks: (links: { admin: string; company: string | null; email: string; owner: string }) => `
Пароль администратора ${links.email} (1 час, 1 раз):
  ${links.admin}
${links.company === null ? '' : `\nРегистрация первой компании, для ${links.owner} (7 дней, 1 раз; другая почта: --owner):\n  ${links.company}\n`}`,
  passphrase: (phrase: string) =>
    `Копии делаются каждую ночь в /var/backups/propusk. Фраза, без которой их не открыть (запишите отдельно от сервера):\n  ${phrase}`,
  linksMadeBefore: () =>
    'Администратор уже есть, новых ссылок нет. Сделать их заново: та же команда с его почтой и --invite',
};
