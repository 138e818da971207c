import type { Reason } from './decide.ts';

/** Why a request was refused and what to do about it, as a person reads it: at the gateway and in the console. */
export interface Saying {
  readonly why: string;
  readonly advice: string;
}

export const askAdmin = 'Обратитесь к администратору вашей компании.';
const tryLater =
  'Попробуйте ещё раз через минуту. Если не поможет, обратитесь к администратору вашей компании.';
const signIn = 'Войдите в расширение «Пропуск» или получите новый пароль шлюза в личном кабинете.';

/** The sentences of each reason of the rule of access. */
export const sayings: Readonly<Record<Reason, Saying>> = {
  no_credentials: { why: 'Шлюз не знает, кто вы.', advice: signIn },
  bad_credentials: { why: 'Шлюз не принял имя или пароль.', advice: signIn },
  expired: { why: 'Пропуск устарел: его срок вышел или он отозван.', advice: signIn },
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
  address_refused: {
    why: 'Имя ведёт на внутренний или служебный адрес, куда шлюз не соединяет.',
    advice: askAdmin,
  },
  resolve_failed: { why: 'Имя сайта не найдено в DNS.', advice: 'Проверьте адрес.' },
  connect_failed: { why: 'Сайт не принял соединение или оборвал его.', advice: tryLater },
  upstream_failed: { why: 'Прокси компании не пропустил запрос.', advice: tryLater },
  timeout: { why: 'Сайт не ответил вовремя.', advice: tryLater },
  snapshot_stale: {
    why: 'Шлюз давно не получал данных о доступе и никого не пропускает.',
    advice: tryLater,
  },
};
