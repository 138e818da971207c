import { sayings } from '@propusk/access/sayings';
import type { Verdict } from '@propusk/contract/lock';
import type { Finding, StepResult } from './classify-response.ts';
import { type Connectivity, discountSilence, targetFamily } from './connectivity.ts';
import { type PlannedStep, proxyOf } from './plan.ts';

/** What else the verdict needs to know. */
export interface VerdictContext {
  /** How many proxies the site's policies have. */
  readonly proxies: number;
  /** An address that the lock lets in was known, and so could be pretended. */
  readonly egressKnown: boolean;
  /** We call from an address that the lock lets in: what we see is not what strangers see. */
  readonly insider: boolean;
  /** Whether this machine was seen to get out, by each family. */
  readonly vantage: Connectivity;
  /** Another company holds the site on the shared egress that a policy leaves by. */
  readonly held: boolean;
  /** The time was over before the end. */
  readonly unfinished: boolean;
}

export interface ProbeVerdict {
  readonly verdict: Verdict;
  readonly meaning: string;
  readonly advice: string | null;
}

const unknown = (meaning: string, advice: string): ProbeVerdict => ({ verdict: 'unknown', meaning, advice });

/**
 * What all steps together say: pure. «Защищён» needs proof of both halves, that strangers are turned away wherever they come
 * and that each proxy of the policies gets in; whatever is missing to it makes another verdict. Silence is no proof of itself.
 */
export function decideVerdict(all: readonly StepResult[], known: VerdictContext): ProbeVerdict {
  if (known.proxies === 0) {
    return unknown(
      'Сайт не стоит ни в одной политике: пускать на него некого.',
      'Добавьте сайт в политику доступа и нажмите «Проверить» ещё раз.',
    );
  }
  const taken = discountSilence(all, known.vantage);
  const outside = taken.filter(({ step }) => step.vantage === 'outside');
  const through = taken.filter(({ step }) => step.vantage === 'through' && step.kind === 'get');
  const open = known.insider ? undefined : outside.find(({ finding }) => finding === 'open');
  const cdn = taken.find((one) => one.cdn !== null)?.cdn ?? null;
  if (open !== undefined) return openTo(open, cdn);
  const misled = taken.find(({ step }) => step.kind === 'address_refused' || step.kind === 'unresolved');
  if (misled !== undefined) return noAddress(misled);
  if (known.held) return unknown(sayings.host_taken.why, sayings.host_taken.advice);
  if (cdn !== null) return behind(cdn, through);
  const broken = taken.find(({ finding }) => finding === 'server_error');
  if (broken !== undefined) {
    return {
      verdict: 'server_error',
      meaning: `Сервер отвечает ошибкой. ${quote(broken)}.`,
      advice:
        'Чаще всего это строка в .htaccess, которой сервер не позволяет: включите AllowOverride AuthConfig и оставьте в файле только наши строки. Остальное скажет журнал ошибок сервера.',
    };
  }
  const shutOut = closedTo(through);
  if (shutOut !== null) return shutOut;
  if (known.insider) {
    return unknown(
      'Проверка идёт с того же адреса, с которого выходит шлюз: что видят посторонние, отсюда не увидеть.',
      'Задайте шлюзу собственный адрес в GATEWAY_EGRESS или запустите консоль на другой машине.',
    );
  }
  if (known.unfinished) {
    return unknown('Проверка не успела закончиться за минуту.', 'Нажмите «Проверить» ещё раз.');
  }
  const unreached = proxyUnreached(through);
  if (unreached !== undefined) {
    return unknown(
      `Через прокси политики до сайта не дошли. ${quote(unreached)}.`,
      'Проверьте этот прокси в разделе «Прокси» и нажмите «Проверить» ещё раз.',
    );
  }
  const unsent = outside.find(({ finding }) => finding === 'unsent');
  if (unsent !== undefined) return notSeen(unsent);
  const vague = outside.find(({ finding }) => finding === 'unclear' || finding === 'no_tls');
  if (vague !== undefined) {
    return unknown(
      `Ответ не говорит, закрыт ли сайт. ${quote(vague)}.`,
      'Посмотрите журнал сервера за это время и нажмите «Проверить» ещё раз.',
    );
  }
  if (!outside.some(({ finding }) => turnedAway.has(finding))) {
    return unknown(
      'Снаружи сайт только переадресует и ничего не показывает: куда приводит переадресация, не видно.',
      'Добавьте в список сайтов адрес, на который он переадресует, и проверьте его.',
    );
  }
  const unwalked = outside.find((one) => takesConnections(one) && !walked(one, outside));
  if (unwalked !== undefined) {
    return unknown(
      `Спрошена только главная страница, а другие места сайта не спрошены. ${quote(unwalked)}.`,
      'Нажмите «Проверить» ещё раз.',
    );
  }
  if (!known.egressKnown) {
    return unknown(
      'Снаружи сайт закрыт и через прокси открыт, но адрес выхода неизвестен: подделку адреса проверить нечем.',
      'Откройте «Защитить» и посмотрите, почему не удалось узнать адрес выхода.',
    );
  }
  return {
    verdict: 'protected',
    meaning: 'Посторонним сайт отвечает отказом, а через «Пропуск» открывается.',
    advice: null,
  };
}

function openTo(open: StepResult, cdn: string | null): ProbeVerdict {
  const { step, detail } = open;
  const advice =
    cdn !== null
      ? `Сайт стоит за ${cdn}: возьмите в «Защитить» вариант для CDN и отключите кеш страниц.`
      : step.kind === 'spoofed'
        ? 'Сервер верит заголовку с адресом от кого угодно. Уберите RemoteIPHeader, set_real_ip_from или trusted_proxies для всех сетей.'
        : step.kind === 'deep' || step.kind === 'acme'
          ? 'Закрыта только часть сайта. Поставьте строки из «Защитить» на весь сайт, а не на одну папку.'
          : 'Вставьте строки из «Защитить» на сервере. Если они уже там, проверьте, что включён AllowOverride AuthConfig и что их не отменяют другие файлы .htaccess.';
  return {
    verdict: 'open',
    meaning: `Сайт открыт всем. ${step.title}: ${detail}.`,
    advice,
  };
}

const turnedAway: ReadonlySet<Finding> = new Set(['shut', 'silent', 'refused', 'dropped']);

const takesConnections = ({ step, finding }: StepResult) =>
  step.kind === 'plain' && (finding === 'shut' || finding === 'dropped');

/** Whether the other places of a site were asked where its first page was refused. */
function walked({ step: first }: StepResult, outside: readonly StepResult[]): boolean {
  const place = placeAsked(first);
  const others = outside.filter(
    ({ step }) => (step.kind === 'deep' || step.kind === 'acme') && placeAsked(step) === place,
  );
  return others.length > 0 && others.every(({ finding }) => finding !== 'untold');
}

const placeAsked = (step: PlannedStep) =>
  'address' in step ? `${step.scheme} ${step.host} ${step.port} ${step.address}` : '';

/** Nothing of ours came to the site: what strangers see there is not known. */
function notSeen(unsent: StepResult): ProbeVerdict {
  const family = targetFamily(unsent.step) ?? 4;
  const record = family === 6 ? 'AAAA' : 'A';
  return unknown(
    `Снаружи до сайта не дошли, и видят ли его посторонние, неизвестно. ${quote(unsent)}.`,
    `Проверьте, что сервер консоли сам, без прокси, выходит в интернет по IPv${family}. Если сайт посторонним вовсе не отвечает, пусть отвечает отказом 403: его видно, а молчание — нет. Если по IPv${family} сайт не работает, удалите его запись ${record}.`,
  );
}

function noAddress({ step }: StepResult): ProbeVerdict {
  const host = 'host' in step ? step.host : '';
  return step.kind === 'unresolved'
    ? unknown(`Имя ${host} не найдено в DNS.`, 'Проверьте адрес сайта и запись A или AAAA.')
    : unknown(
        `Имя ${host} ведёт на внутренний или служебный адрес, куда «Пропуск» не соединяет.`,
        'Исправьте запись DNS. Для сайта во внутренней сети администратор добавляет её в GATEWAY_ALLOW_NETWORKS.',
      );
}

function behind(cdn: string, through: readonly StepResult[]): ProbeVerdict {
  const closed = through.some(({ finding }) => finding === 'shut');
  return {
    verdict: 'cdn',
    meaning: closed
      ? `Сайт стоит за ${cdn}: сервер видит адреса CDN, а не выхода, и не пускает никого.`
      : `Сайт стоит за ${cdn}. Через CDN посторонних не пускают, но сервер за ним отсюда не виден, и отказ мог дать сам CDN.`,
    advice:
      'Возьмите в «Защитить» вариант для CDN и закройте сервер для всех адресов, кроме адресов CDN. Надёжнее отключить для этого сайта проксирование в CDN.',
  };
}

/** 403, or no answer at all, to people who are to get in. */
function closedTo(through: readonly StepResult[]): ProbeVerdict | null {
  const refused = through.find(({ finding }) => finding === 'shut');
  if (refused !== undefined) {
    return {
      verdict: 'closed',
      meaning: `Сайт не пускает и своих. ${quote(refused)}.`,
      advice:
        'Откройте «Защитить», узнайте адреса выхода заново и замените ими адреса в замке. Если замок верен, посмотрите, не отвечает ли отказом сама главная страница.',
    };
  }
  const silent = through.find(
    ({ step, finding }) =>
      finding === 'silent' &&
      !through.some((other) => proxyOf(other.step) === proxyOf(step) && other.finding !== 'silent'),
  );
  if (silent === undefined) return null;
  return {
    verdict: 'closed',
    meaning: `Сайт не отвечает и своим. ${quote(silent)}.`,
    advice: 'Проверьте, что сервер работает и что его межсетевой экран пускает адреса выхода из «Защитить».',
  };
}

/** A step through a proxy by which no request came back from the site. */
function proxyUnreached(through: readonly StepResult[]): StepResult | undefined {
  const came = new Set(through.filter(({ finding }) => finding === 'open').map(({ step }) => proxyOf(step)));
  return through.find(({ step }) => !came.has(proxyOf(step)));
}

const quote = ({ step, detail }: StepResult) => `${step.title}: ${detail}`;
