// Texts of the pages for sign-in and for a new password.
import { minutes } from '../count.ts';

export const auth = {
  loginTitle: 'Вход',
  loginHint: 'Рады видеть вас снова',
  firstHint: 'Войдите с почтой и паролем',
  endedHint: 'Сеанс завершён. Войдите, чтобы продолжить',
  unconfirmedExit:
    'Сервер не подтвердил выход: сеанс мог остаться открытым. Войдите снова и завершите его в списке «Сеансы»',
  email: 'Почта',
  password: 'Пароль',
  repeat: 'Повторите пароль',
  signIn: 'Войти',
  noAccount: 'Ещё нет аккаунта?',
  toRegister: 'Зарегистрировать компанию',
  toLogin: 'Войти',
  mismatch: 'Ошибка проверки паролей',
  forgot: 'Забыли пароль?',
  remembered: 'Вспомнили пароль?',
  backToLogin: 'Вернуться ко входу',
  done: {
    password: 'Пароль изменён. Войдите с новым паролем',
    email: 'Почта изменена. Войдите с новой почтой',
    confirm: 'Почта подтверждена',
  },
};

/** Texts of the pages that request a new password. Separate from `auth` to keep the login page small. */
export const reset = {
  resetTitle: 'Новый пароль',
  resetHint: 'Укажите почту, с которой входите: по ссылке из письма вы зададите новый пароль',
  sendRequest: 'Отправить запрос',
  checkTitle: 'Проверьте почту',
  checkHint: 'Если с этой почтой есть аккаунт, на неё ушло письмо со ссылкой для нового пароля:',
  checkHintNoMail: 'Если с этой почтой есть аккаунт, для него создана ссылка для нового пароля:',
  checkLife: (life: number) => `Ссылка действует ${minutes(life)} и срабатывает один раз.`,
  checkSpam: 'Письма нет? Загляните в «Спам» и проверьте, нет ли в адресе ошибки.',
  resend: 'Отправить ещё раз',
  resendIn: (seconds: number) => `Отправить ещё раз через ${seconds} с`,
  resent: 'Запрос отправлен ещё раз',
  otherEmail: 'Указать другую почту',
};
