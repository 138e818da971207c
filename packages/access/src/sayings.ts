import type { DenyReason } from './decide.ts';

/** Why a request was refused and what to do about it, as a person reads it: at the gateway and in the console. */
export interface Saying {
  readonly why: string;
  readonly advice: string;
}

const askAdmin = 'Обратитесь к администратору вашей компании.';

/** The sentences of each reason of the rule of access. */
export const sayings: Readonly<Record<DenyReason, Saying>> = {
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
