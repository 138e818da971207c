import type { Reason } from '@propusk/access/decide';
import { refusalPage } from './refusal-page.ts';

/**
 * Every way in which the gateway says no: its status, and the sentences that a person reads. One answer for both request
 * forms, always a full HTTP response: a bare close leaves the browser with an error page that explains nothing.
 */

/** The reasons of the rule of access, and those that only a gateway has. */
export type RefusalReason =
  | Reason
  /** Not a request that a proxy can carry (RFC 9112 section 3.2). */
  | 'bad_request'
  /** The request came back to the gateway that sent it. */
  | 'loop'
  | 'too_many'
  | 'stopping';

interface Saying {
  readonly status: number;
  readonly why: string;
  readonly advice: string;
}

const askAdmin = 'Обратитесь к администратору вашей компании.';
const tryLater =
  'Попробуйте ещё раз через минуту. Если не поможет, обратитесь к администратору вашей компании.';
const signIn = 'Войдите в расширение «Пропуск» или получите новый пароль шлюза в личном кабинете.';

/**
 * 407 where other credentials would help, 403 where they are good and the right is missing (RFC 9110 sections 15.5.4,
 * 15.5.8), 502 and 504 where the fault is behind the gateway, 503 where it is the gateway's own.
 */
export const sayings: Readonly<Record<RefusalReason, Saying>> = {
  no_credentials: { status: 407, why: 'Шлюз не знает, кто вы.', advice: signIn },
  bad_credentials: { status: 407, why: 'Шлюз не принял имя или пароль.', advice: signIn },
  expired: { status: 407, why: 'Пропуск устарел: его срок вышел или он отозван.', advice: signIn },
  user_removed: { status: 403, why: 'У вас больше нет доступа через этот шлюз.', advice: askAdmin },
  bad_host: {
    status: 400,
    why: 'Адрес не является именем сайта. Через шлюз открывают сайты по имени, а не по IP-адресу.',
    advice: 'Проверьте адрес.',
  },
  port_refused: { status: 403, why: 'Этот порт сайта не открыт.', advice: askAdmin },
  site_unknown: { status: 403, why: 'Этого сайта нет среди сайтов вашей компании.', advice: askAdmin },
  no_policy: { status: 403, why: 'Ваши политики доступа не включают этот сайт.', advice: askAdmin },
  host_taken: {
    status: 403,
    why: 'Этот сайт на общем прокси закреплён за другой компанией.',
    advice: 'Администратор вашей компании может открыть его через собственный прокси.',
  },
  address_refused: {
    status: 403,
    why: 'Имя ведёт на внутренний или служебный адрес, куда шлюз не соединяет.',
    advice: askAdmin,
  },
  resolve_failed: { status: 502, why: 'Имя сайта не найдено в DNS.', advice: 'Проверьте адрес.' },
  connect_failed: { status: 502, why: 'Сайт не принял соединение или оборвал его.', advice: tryLater },
  upstream_failed: { status: 502, why: 'Прокси компании не пропустил запрос.', advice: tryLater },
  timeout: { status: 504, why: 'Сайт не ответил вовремя.', advice: tryLater },
  snapshot_stale: {
    status: 503,
    why: 'Шлюз давно не получал данных о доступе и никого не пропускает.',
    advice: tryLater,
  },
  bad_request: {
    status: 400,
    why: 'Это адрес прокси-сервера, а запрос составлен не для прокси.',
    advice: 'Укажите этот адрес как прокси в настройках браузера или войдите в расширение «Пропуск».',
  },
  loop: { status: 400, why: 'Запрос вернулся на шлюз, который его отправил.', advice: askAdmin },
  too_many: {
    status: 503,
    why: 'Слишком много одновременных соединений.',
    advice: 'Закройте лишние вкладки и попробуйте ещё раз.',
  },
  stopping: { status: 503, why: 'Шлюз перезапускается.', advice: 'Попробуйте ещё раз через минуту.' },
};

/** A request that will not be carried. `detail` is a Russian sentence that says more than the reason's own. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly detail: string | undefined;

  constructor(reason: RefusalReason, detail?: string) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * The response that tells of a refusal.
 * @param site what was asked for, as far as it could be read; it comes from the client and is escaped here
 */
export function answerRefusal(refusal: Refusal, site: string, consoleUrl: string): Answer {
  const { status, why, advice } = sayings[refusal.reason];
  const body = refusalPage(status, refusal.reason, { site, why: refusal.detail ?? why, advice, consoleUrl });
  const headers = [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Propusk-Reason', refusal.reason],
  ];
  // RFC 9110 section 11.7.1: a 407 must carry a challenge.
  if (status === 407) headers.push(['Proxy-Authenticate', 'Basic realm="Propusk", charset="UTF-8"']);
  if (status === 503) headers.push(['Retry-After', '15']);
  return { status, headers: headers.flat(), body };
}

/** The same response as bytes, for a socket that no longer has an HTTP writer. It ends the connection. */
export function answerBytes(answer: Answer, statusText: string): string {
  let head = `HTTP/1.1 ${answer.status} ${statusText}\r\n`;
  for (let i = 0; i < answer.headers.length; i += 2)
    head += `${answer.headers[i]}: ${answer.headers[i + 1]}\r\n`;
  return `${head}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${answer.body}`;
}
