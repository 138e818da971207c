// Texts of the pages that links in mail open.
import { count, days, minutes } from '../count.ts';
import { quoted } from '../quoted.ts';

export const mailLink = {
  newPasswordTitle: 'Задайте новый пароль',
  newPasswordHint: 'Все открытые сеансы завершатся, и войти нужно будет с новым паролем',
  replacesSession: (email: string) =>
    `В этом браузере уже выполнен вход. Когда вы сохраните пароль, тот сеанс завершится, а ссылка относится к аккаунту ${email}.`,
  opening: 'Проверяем ссылку…',
  welcomeTitle: 'Добро пожаловать в «Пропуск»',
  welcomeHint: (company: string, email: string) =>
    `Компания ${quoted(company)} открывает вам свои сайты. Придумайте пароль: входить вы будете с ним и с почтой ${email}.`,
  adminTitle: 'Первый администратор',
  adminHint: 'Укажите почту и придумайте пароль: входить в консоль администратор будет с ними',
  enter: 'Задать пароль и войти',
  name: 'Имя',
  surname: 'Фамилия',
  newPassword: 'Новый пароль',
  newPasswordRule: (length: number) => `Не короче ${count(length, { one: 'символа', many: 'символов' })}`,
  savePassword: 'Сохранить пароль',
  confirmEmailTitle: 'Подтвердите новую почту',
  confirmEmailHint:
    'После подтверждения входить нужно будет с той почтой, на которую пришло письмо. Все открытые сеансы завершатся.',
  confirmEmail: 'Подтвердить почту',
  confirmCompanyTitle: 'Подтвердите почту компании',
  confirmCompanyHint:
    'Нажмите кнопку, если компанию зарегистрировали вы. После этого шлюз начнёт пропускать её пользователей.',
  confirmed: 'Почта компании подтверждена',
  noLinkTitle: 'Нужна ссылка из письма',
  noLinkHint: (life: number) =>
    `После обновления страницы откройте ссылку из письма заново. Если письма нет или прошло ${minutes(life)}, запросите новую.`,
  deadTitle: 'Ссылка не действует',
  deadHint: {
    password: (life: number, invited: number) =>
      `Ссылка для нового пароля действует ${minutes(life)}, приглашение — ${days(invited)}, и срабатывают они один раз. Если пароль уже задан, войдите с ним. Если нет, запросите новую ссылку.`,
    email: (life: number) =>
      `Ссылка действует ${minutes(life)} и срабатывает один раз. Войдите и, если почта ещё прежняя, запросите новую ссылку в персональных данных.`,
    confirm: (life: number) =>
      `Ссылка действует ${minutes(life)} и срабатывает один раз. Если почта ещё не подтверждена, войдите и нажмите «Отправить ещё раз» вверху страницы.`,
  },
  askPasswordLink: 'Запросить новую ссылку',
  askEmailLink: 'Открыть персональные данные',
  toConsole: 'Открыть консоль',
};
