// Texts of the dialog that signs a user in again when the session has ended under a changed form.

export const signInAgain = {
  title: 'Сеанс завершён',
  hint: 'Войдите, чтобы продолжить. Всё, что вы ввели, осталось на месте',
  leave: 'Выйти без сохранения',
};
