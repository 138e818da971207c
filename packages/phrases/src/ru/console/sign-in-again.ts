// Signing in over a page whose session has ended.

export const signInAgain = {
  title: 'Сеанс завершён',
  hint: 'Войдите, чтобы продолжить. Всё, что вы ввели, осталось на месте',
  leave: 'Выйти без сохранения',
};
