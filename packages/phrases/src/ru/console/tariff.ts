// Texts of the tariff page, of the plans and companies that an ADMIN sees, and of the requests for plans and paid proxies.
import { limits } from '@propusk/contract/limits';
import type { RequestKind, RequestState } from '@propusk/contract/tariff';
import { count, days } from '../count.ts';

const rest = (day: string, left: number) => (left > 0 ? `до ${day}, ещё ${days(left)}` : `до ${day}`);
const nouns = {
  people: { one: 'пользователь', few: 'пользователя', many: 'пользователей' },
  sites: { one: 'сайт', few: 'сайта', many: 'сайтов' },
  proxies: { one: 'свой прокси', few: 'своих прокси', many: 'своих прокси' },
};

const names = {
  people: 'Пользователи',
  sites: 'Сайты',
  proxies: 'Свои прокси',
  paidProxies: 'Платные прокси',
  allSites: 'Доступ ко всем сайтам',
};

export const plan = {
  price: (price: string | null) => (price === null ? 'Без оплаты' : `${price} в месяц`),
  unlimited: 'Без ограничений',
  limit: (kind: keyof typeof nouns, limit: number | null) =>
    limit === null ? `${names[kind]} без ограничения` : count(limit, nouns[kind]),
  names,
  figure: (used: number, limit: number | null) =>
    limit === null ? `${used}, без ограничения` : `${used} из ${limit}`,
  have: (used: number) => `у вас ${used}`,
  rest,
};

export const tariff = {
  title: 'Тариф',
  help: 'Тариф определяет, сколько пользователей, сайтов и своих прокси может добавить компания и доступны ли ей платные прокси. О смене тарифа и оплате договоритесь с менеджером.',
  failed: 'Тариф не загрузился',
  current: 'Действует сейчас',
  trialRuns: (day: string, left: number) => `Пробный период ${rest(day, left)}`,
  runs: (day: string, left: number) => `Действует ${rest(day, left)}`,
  noEnd: 'Без срока окончания',
  trial: 'Попробовать 30 дней',
  trialQuestion: 'Начать пробный период?',
  trialHint: (name: string, gains: string) =>
    `30 дней будет действовать тариф «${name}»: ${gains}. Потом вернётся прежний тариф, ничего не удалится. Пробный период даётся один раз.`,
  trialBegin: 'Начать',
  trialBegan: 'Пробный период начался',
  trialUntil: (day: string) => `Действует до ${day}`,
  offers: 'Тарифы на выбор',
  offersHint: 'Тариф включит менеджер, когда договоритесь об оплате. Сам по себе запрос ничего не стоит.',
  request: 'Запросить',
  requestOf: (name: string) => `Запросить тариф «${name}»`,
  present: 'Ваш тариф',
  over: 'Лишнее останется и будет работать, но добавить новое не получится.',
  overPaid: 'Платные прокси остановятся: в этот тариф они не входят.',
  manager: 'Обратитесь к менеджеру',
  managerHint: 'Он подключит тариф или платный прокси и ответит на вопросы.',
  noContact:
    'Администратор платформы ещё не указал контакт. Отправьте запрос: он увидит его, и ответ появится здесь.',
  phone: 'Телефон компании',
  phoneHint: 'По нему менеджер свяжется с вами.',
  noPhone: 'Не указан',
  phoneForm: '+7 916 123-45-67',
  paidStops: (day: string) => `Платные прокси остановятся ${day}`,
  paidStopped: (day: string) => `Платные прокси остановлены ${day}`,
  paidPeople: 'Кого это касается',
  paidSites: 'Какие сайты',
  paidKept:
    'Политики на платных прокси шлюз перестанет пропускать. Замки сайтов не откроются, и ничего не удалится. Доступ через свои прокси и через шлюз останется.',
  paidRemedy:
    'Чтобы ничего не прервалось, запросите тариф с платными прокси или назначьте политикам другой прокси.',
};

export const requests = {
  title: 'Запросы',
  failed: 'Запросы не загрузились',
  kinds: {
    plan: (name: string) => `Тариф «${name}»`,
    paid_proxy: () => 'Платный прокси',
    trial: () => 'Пробный период',
  } satisfies Record<RequestKind, (name: string) => string>,
  states: {
    open: 'Ждёт ответа',
    answered: 'Отвечено',
    refused: 'Отказано',
    withdrawn: 'Отозвано',
  } satisfies Record<RequestState, string>,
  filter: 'Состояние запросов',
  none: 'Таких запросов нет',
  waiting: 'ждут ответа',
  reply: 'Ответ',
  leads: {
    plan: 'Чтобы сменить тариф, обратитесь к менеджеру или отправьте запрос: ответ появится на этой странице.',
    paid_proxy:
      'Чтобы подключить платный прокси-сервер, обратитесь к менеджеру компании: он подберёт адрес и включит его для вас.',
    trial:
      'Сразу включить пробный период нельзя: его нет на платформе, он не больше вашего тарифа, или ваша компания им уже пользовалась. Чтобы попробовать, обратитесь к менеджеру компании.',
  } satisfies Record<RequestKind, string>,
  text: 'Сообщение менеджеру',
  textHint: 'Например, сколько прокси нужно и в какой стране',
  send: 'Отправить запрос',
  sent: 'Запрос отправлен',
  asked:
    'Такой запрос уже отправлен и ждёт ответа. Чтобы отправить другой, отзовите этот в «Запросах» на странице «Тариф».',
  withdraw: 'Отозвать',
  withdrawQuestion: 'Отозвать запрос?',
  withdrawHint: 'Менеджер больше не увидит его среди открытых.',
  withdrawn: 'Запрос отозван',
  answer: 'Ответить',
  refuse: 'Отказать',
  answerTitle: (company: string) => `Ответ компании ${company}`,
  refuseTitle: (company: string) => `Отказ компании ${company}`,
  plan: 'Назначить тариф',
  planKept: 'Не менять',
  answerText: 'Ответ',
  refuseText: 'Причина отказа',
  mailed: 'Владелец увидит этот текст на странице «Тариф», а если на сервере настроена почта, и в письме.',
  closed: 'Ответ отправлен',
};

export const plans = {
  title: 'Тарифы',
  help: 'Тарифы платформы. Компании без другого тарифа получают тариф по умолчанию. Если уменьшить ограничение, лишнее у компаний останется, но добавить новое они не смогут.',
  failed: 'Тарифы не загрузились',
  name: 'Название',
  price: 'Цена',
  amount: 'Цена в месяц',
  amountHint: 'Пусто: без оплаты',
  noAmount: 'Введите сумму больше нуля, например 1490,50',
  currency: 'Валюта',
  currencyHint: 'Код или название',
  limits: 'Ограничения',
  contents: 'Что входит',
  limitHint: `Пусто: тариф не ограничивает. Предел «Пропуска» — ${limits.objectsPerCompany}`,
  companies: 'Компаний',
  create: 'Новый тариф',
  edit: 'Тариф',
  standard: 'по умолчанию',
  trial: 'пробный',
  archived: 'в архиве',
  paidProxies: 'Можно подключать платные прокси',
  allSites: 'Политики могут открывать все сайты',
  offered: 'Показывать владельцам компаний',
  offeredHint: 'Тариф в архиве остаётся у компаний, которым он назначен',
  trialFlag: 'Тариф пробного периода',
  trialHint: 'Такой тариф один: прежний перестанет быть пробным',
  saveFor: (n: number) => `Сохранить для ${count(n, { one: 'компании', many: 'компаний' })}`,
  concerns: (n: number) =>
    `Изменение коснётся ${count(n, { one: 'компании', many: 'компаний' })}. Проверьте и сохраните ещё раз.`,
  exceeds: (kinds: string) => `больше нового тарифа: ${kinds.toLowerCase()}`,
  fits: 'всё помещается',
  contact: 'Контакт менеджера',
  contactHint: 'Владельцы видят его на странице тарифа. На почту приходят их запросы.',
  noContact: 'Контакта пока нет: укажите его, чтобы владельцам было к кому обратиться.',
  contactName: 'Имя',
  contactPhone: 'Телефон',
  contactEmail: 'Почта',
  contactTelegram: 'Telegram',
};

export const companyPage = {
  open: 'Открыть компанию',
  back: 'Все компании',
  failed: 'Компания не загрузилась',
  extensions: (n: number) => `Расширение подключено: ${n}`,
  plan: 'Назначенный тариф',
  inForce: 'Действует',
  ends: 'Окончание',
  trial: 'Пробный период',
  noTrial: 'Не начинался',
  trialEnded: (day: string) => `Закончился ${day}`,
  edit: 'Тариф компании',
  planEnds: 'Тариф действует по',
  planEndsHint: 'Включительно. Пусто: без срока',
  trialEnds: 'Пробный период по',
  trialEndsHint: 'Начинает или продлевает пробный период. Пусто: без изменений',
  endTrial: 'Закончить сейчас',
  endTrialQuestion: 'Закончить пробный период?',
  endTrialHint:
    'Сразу начнёт действовать назначенный тариф. Начать пробный период сам владелец уже не сможет.',
  trialOver: 'Пробный период закончен',
  usage: 'Использование',
  none: 'Пока нет',
  visits: 'Посещения за 30 дней',
  visitsFailed: 'Цифры посещений не загрузились',
  visitsClosed:
    'Сами посещения видит только владелец компании. Чтобы увидеть их, попросите его нажать «Показать поддержке» на странице «Статистика»: доступ откроется на 24 часа.',
  visitsOpen: (moment: string) =>
    `Владелец открыл посещения до ${moment}. Ваше чтение записано в журнал компании.`,
  addPaid: 'Добавить платный прокси',
  paidTitle: 'Новый платный прокси',
};
