import { limits } from '@propusk/contract/limits';
import type { RequestKind } from '@propusk/contract/tariff';
import { count, days, minutes } from './count.ts';
import { shownPhone } from './phone.ts';
import { quoted } from './quoted.ts';

/** A paragraph of a mail: text, or a link with its label. */
export type Paragraph = string | { readonly link: string; readonly label: string };

interface MailText {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** A number of days in the genitive case, as in «старше 1 дня». */
const olderThan = (n: number) => count(n, { one: 'дня', many: 'дней' });

const linkLifetime = `Ссылка действует ${minutes(limits.linkMinutes)} и срабатывает один раз.`;
const invitationLifetime = `Ссылка действует ${days(limits.invitationDays)} и срабатывает один раз`;

/** A change that somebody else made to an account; `at` is in ISO 8601. */
interface AccountChange {
  what: 'email' | 'password' | 'factor' | 'role' | 'removed';
  newEmail?: string | undefined;
  by: string;
  at: string;
  contacts: readonly string[];
}

/** The server's local time with its time zone, because the reader's time zone is not known. */
const moment = new Intl.DateTimeFormat('ru-RU', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  timeZoneName: 'short',
} as const);

/** The thing that a tariff request asks for, in the accusative. */
const requested = ({ kind, plan }: { kind: RequestKind; plan: string }): string =>
  ({ plan: `тариф «${plan}»`, paid_proxy: 'платный прокси-сервер', trial: 'пробный период' })[kind];

/** The text of each mail, by its code. The first parameter is the recipient; the others describe the event. */
export const mails = {
  password_link: (to: string, link: string): MailText => ({
    subject: 'Новый пароль для входа в «Пропуск»',
    paragraphs: [
      `Для входа в «Пропуск» с почтой ${to} запросили новый пароль. Скорее всего, это были вы.`,
      { link, label: 'Задать новый пароль' },
      `${linkLifetime} Когда пароль сменится, все открытые сеансы завершатся.`,
      'Если вы об этом не просили, ничего делать не нужно: пароль останется прежним.',
    ],
  }),
  /** Sent to the owner of a company that an ADMIN created. */
  owner_invitation: (
    to: string,
    { company, link, resetPage }: { company: string; link: string; resetPage: string },
  ): MailText => ({
    subject: `Вас пригласили владельцем компании ${quoted(company)} в «Пропуск»`,
    paragraphs: [
      `Администратор платформы «Пропуск» сделал вас (${to}) владельцем компании ${quoted(company)}: вы добавите её сайты и пользователей и решите, кому что открыто.`,
      { link, label: 'Задать пароль и войти' },
      `${invitationLifetime}. Если время вышло, запросите новую ссылку на странице входа, с этой же почтой:`,
      { link: resetPage, label: 'Запросить новую ссылку' },
      'Если вы не ждали приглашения, ничего делать не нужно.',
    ],
  }),
  /** Sent to an agent whom an owner invited to the company. */
  agent_invitation: (to: string, { company, link }: { company: string; link: string }): MailText => ({
    subject: `${quoted(company)}: доступ к сайтам компании через «Пропуск»`,
    paragraphs: [
      `Компания ${quoted(company)} открывает вам (${to}) свои сайты через «Пропуск». Задайте пароль, и консоль покажет, как их открыть.`,
      { link, label: 'Задать пароль и войти' },
      `${invitationLifetime}. Если время вышло, попросите прислать новую того, кто вас пригласил.`,
      'Если вы не ждали приглашения, ничего делать не нужно.',
    ],
  }),
  /** Sent to a user without the browser extension when an owner asks for it. */
  extension_reminder: (to: string, { company, link }: { company: string; link: string }): MailText => ({
    subject: `${quoted(company)}: установите расширение «Пропуска»`,
    paragraphs: [
      `Компания ${quoted(company)} открывает вам (${to}) свои сайты через «Пропуск», но расширение в вашем браузере ещё не подключено. Без него сайты не откроются.`,
      { link, label: 'Установить и подключить' },
      'Откройте ссылку на компьютере, в том браузере, которым вы работаете. На телефоне расширение не работает.',
    ],
  }),
  /** Sent to a person whom an ADMIN invited to register a company. */
  company_invitation: (to: string, link: string): MailText => ({
    subject: 'Вашу компанию пригласили в «Пропуск»',
    paragraphs: [
      `Администратор платформы «Пропуск» пригласил вас (${to}) зарегистрировать компанию: вы станете её владельцем, добавите её сайты и пользователей и решите, кому что открыто.`,
      { link, label: 'Зарегистрировать компанию' },
      `${invitationLifetime}, с этой почтой.`,
      'Если вы не ждали приглашения, ничего делать не нужно.',
    ],
  }),
  /** Sent to an owner who registered a company without an invitation. */
  company_confirmation: (to: string, link: string): MailText => ({
    subject: 'Подтвердите почту компании в «Пропуске»',
    paragraphs: [
      `С этой почтой (${to}) зарегистрировали компанию в «Пропуске». Подтвердите её, и шлюз откроет пользователям компании их сайты.`,
      { link, label: 'Подтвердить почту' },
      `${linkLifetime} Если время вышло, войдите в консоль и отправьте письмо ещё раз.`,
      'Если вы не регистрировали компанию, ничего делать не нужно: без подтверждения шлюз никого не пропустит.',
    ],
  }),
  /** Sent to a new ADMIN. */
  admin_invitation: (to: string, { link, resetPage }: { link: string; resetPage: string }): MailText => ({
    subject: 'Вас пригласили администратором платформы «Пропуск»',
    paragraphs: [
      `Администратор платформы «Пропуск» сделал вас (${to}) ещё одним администратором: вам открыты все компании, их пользователи и прокси-серверы.`,
      { link, label: 'Задать пароль и войти' },
      `${invitationLifetime}. Если время вышло, запросите новую ссылку на странице входа, с этой же почтой:`,
      { link: resetPage, label: 'Запросить новую ссылку' },
      'После входа включите второй фактор в «Персональных данных».',
      'Если вы не ждали приглашения, ничего делать не нужно.',
    ],
  }),
  /** Sent to the operator when an owner asks for a plan, a paid proxy or the trial. */
  tariff_request: (
    _: string,
    request: {
      kind: RequestKind;
      company: string;
      by: string;
      phone: string;
      plan: string;
      text: string;
      page: string;
    },
  ): MailText => ({
    subject: `${request.company}: запрос на ${requested(request)}`,
    paragraphs: [
      `Компания ${quoted(request.company)} просит ${requested(request)}. Запрос отправил владелец: ${request.by}${request.phone === '' ? '' : `, телефон ${shownPhone(request.phone)}`}.`,
      ...(request.text === '' ? [] : [request.text]),
      { link: request.page, label: 'Ответить в консоли' },
    ],
  }),
  /** Sent to an owner when an ADMIN fulfils or refuses the owner's request for a plan, a paid proxy or the trial. */
  tariff_answer: (
    _: string,
    answer: { kind: RequestKind; plan: string; refused: boolean; reply: string; page: string },
  ): MailText => ({
    subject: answer.refused ? 'Ваш запрос в «Пропуске» отклонён' : 'Ответ на ваш запрос в «Пропуске»',
    paragraphs: [
      answer.refused
        ? `Вы просили ${requested(answer)}. Запрос отклонён. Причина: ${answer.reply}`
        : `Вы просили ${requested(answer)}. Запрос выполнен.`,
      ...(answer.refused || answer.reply === '' ? [] : [answer.reply]),
      { link: answer.page, label: 'Открыть страницу «Тариф»' },
    ],
  }),
  /** Sent to the owners of a company before its plan, its trial or its paid proxies end. */
  plan_ends: (
    _: string,
    end: {
      what: 'trial' | 'plan' | 'paid';
      at: string;
      people: readonly string[];
      sites: readonly string[];
      page: string;
    },
  ): MailText => ({
    subject: {
      trial: 'Пробный период в «Пропуске» скоро закончится',
      plan: 'Ваш тариф в «Пропуске» скоро закончится',
      paid: 'Платные прокси скоро перестанут работать',
    }[end.what],
    paragraphs: [
      ...(end.what === 'paid'
        ? [
            `Тариф с платными прокси закончился. До ${moment.format(new Date(end.at))} они ещё работают, потом шлюз перестанет открывать через них сайты.`,
            ...(end.people.length === 0 ? [] : [`Кого это коснётся: ${end.people.join(', ')}.`]),
            ...(end.sites.length === 0 ? [] : [`Какие сайты: ${end.sites.join(', ')}.`]),
            'Запросите тариф с платными прокси или выберите в политиках доступа другие.',
          ]
        : [
            `${end.what === 'trial' ? 'Пробный период' : 'Тариф'} действует до ${moment.format(new Date(end.at))}.`,
            'Всё добавленное останется и продолжит работать, но сверх пределов следующего тарифа ничего не добавить.',
          ]),
      'Замки на сайтах остаются закрытыми, ничего не удаляется, доступ через свои прокси и через шлюз продолжает работать.',
      { link: end.page, label: 'Открыть страницу «Тариф»' },
    ],
  }),
  /** Sent to the owners of a company before policies or memberships end. `person` is null for a whole policy. */
  rights_end: (
    _: string,
    digest: {
      zone: string;
      rights: readonly { policy: string; person: string | null; at: string }[];
      isWhole: boolean;
      page: string;
    },
  ): MailText => {
    const format = new Intl.DateTimeFormat('ru', {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: digest.zone,
    });
    return {
      subject: 'В «Пропуске» скоро закончится доступ',
      paragraphs: [
        'Скоро закончится доступ к сайтам вашей компании:',
        ...digest.rights.map(
          ({ policy, person, at }) =>
            `${person === null ? 'политика' : `${person}, политика`} ${quoted(policy)}: ${format.format(new Date(at))}`,
        ),
        ...(digest.isWhole ? [] : ['и другие']),
        'Если доступ ещё нужен, продлите его. Иначе ничего делать не надо: шлюз закроет его сам.',
        { link: digest.page, label: 'Открыть политики доступа' },
      ],
    };
  },
  /** Sent to the other owners of a company when one owner shortens the retention of the access log. */
  records_cut: (
    _: string,
    cut: { by: string; inForceAt: string; retentionDays: number | null; keepNames: boolean; page: string },
  ): MailText => ({
    subject: 'Журнал доступа в «Пропуске» будет хранить меньше',
    paragraphs: [
      `Владелец ${cut.by} изменил хранение журнала доступа. ${moment.format(new Date(cut.inForceAt))} изменение вступит в силу.`,
      ...(cut.retentionDays === null
        ? []
        : [`Посещения и статистика старше ${olderThan(cut.retentionDays)} удалятся навсегда.`]),
      ...(cut.keepNames ? [] : ['Имена удалённых пользователей исчезнут из журнала навсегда.']),
      'До этого момента любой владелец компании может отменить изменение.',
      { link: cut.page, label: 'Открыть «Хранение»' },
    ],
  }),
  /** Sent to the new address of an account: opening the link proves that the user reads mail at this address. */
  email_link: (to: string, link: string): MailText => ({
    subject: 'Подтвердите новую почту для входа в «Пропуск»',
    paragraphs: [
      `Эту почту (${to}) указали как новую для входа в «Пропуск».`,
      { link, label: 'Подтвердить почту' },
      `${linkLifetime} После подтверждения все открытые сеансы завершатся, а входить нужно будет с этой почтой.`,
      'Если вы об этом не просили, ничего делать не нужно: без подтверждения ничего не изменится.',
    ],
  }),
  /** Sent to the old address of an account, because the request to change the address can be an attack. */
  email_change_begun: (to: string, newEmail: string, resetPage: string): MailText => ({
    subject: 'Почту для входа в «Пропуск» хотят сменить',
    paragraphs: [
      `Для входа в «Пропуск» вместо ${to} указали другую почту: ${newEmail}.`,
      'Ничего не изменится, пока её не подтвердят по ссылке из письма, которое ушло на новый адрес.',
      'Если это не вы, смените пароль: та ссылка сразу перестанет действовать.',
      { link: resetPage, label: 'Сменить пароль' },
    ],
  }),
  /** Sent to the old address of an account after the address has changed. */
  email_changed: (to: string, newEmail: string): MailText => ({
    subject: 'Почта для входа в «Пропуск» изменена',
    paragraphs: [
      `Для входа в «Пропуск» вместо ${to} теперь используется другая почта: ${newEmail}.`,
      'Все открытые сеансы завершены, войти с прежней почтой больше нельзя.',
      'Если это сделали не вы, сразу сообщите владельцу вашей компании в «Пропуске» или администратору платформы: они вернут прежнюю почту или закроют доступ.',
    ],
  }),
  /** Sent to a user's old address after somebody else changed the user's email address, password, second factor or role. */
  account_changed: (to: string, { what, newEmail, by, at, contacts }: AccountChange): MailText => {
    const [subject, effect] = {
      email: [
        'Изменена почта для входа в «Пропуск»',
        `Для входа в «Пропуск» вместо ${to} теперь используется другая почта: ${newEmail}. Войти с прежней больше нельзя.`,
      ],
      password: [
        'Ваш пароль для входа в «Пропуск» изменили',
        `Для входа в «Пропуск» с почтой ${to} задали новый пароль. Прежний больше не подходит.`,
      ],
      factor: [
        'Ваш второй фактор в «Пропуске» сбросили',
        `Для входа в «Пропуск» с почтой ${to} теперь хватит пароля. Включите второй фактор заново в «Персональных данных».`,
      ],
      role: [
        'Вашу роль в «Пропуске» изменили',
        `У пользователя ${to} в «Пропуске» теперь другая роль: она будет видна после входа.`,
      ],
      removed: [
        'Вы больше не администратор «Пропуска»',
        `У пользователя ${to} больше нет доступа администратора платформы.`,
      ],
    }[what] as [string, string];
    return {
      subject,
      paragraphs: [
        `${effect} Все открытые сеансы завершены.`,
        `Кто изменил: ${by}. Когда: ${moment.format(new Date(at))}.`,
        contacts.length === 0
          ? 'Если вы об этом не просили, сразу сообщите администратору платформы.'
          : `Если вы об этом не просили, сразу напишите: ${contacts.join(', ')}. Там проверят изменение и помогут вернуть доступ.`,
      ],
    };
  },
} satisfies Record<string, (to: string, ...facts: never[]) => MailText>;

/** The first and the last paragraph of every mail. */
export const greeting = 'Здравствуйте!';
export const signature = '«Пропуск»';
