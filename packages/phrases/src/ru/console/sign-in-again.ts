// Texts of the sign-in dialog for a session that ended while a form has unsaved changes.

export const signInAgain = {
  title: 'Сеанс завершён',
  hint: 'Войдите, чтобы продолжить. Всё, что вы ввели, осталось на месте',
  leave: 'Выйти без сохранения',
};
