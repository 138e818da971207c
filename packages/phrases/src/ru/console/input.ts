// Texts of the warnings before unsaved input is lost, and of the reload after another user's save.

export const input = {
  discard: 'Закрыть и потерять введённое?',
  leave: 'Уйти со страницы?',
  leaveHint: 'То, что вы ввели и не сохранили, пропадёт.',
  stay: 'Остаться',
  abort: 'Прервать',
  aborted: 'Сохранение прервано. Успел ли сервер сохранить, покажет список',
  reload: 'Загрузить изменения',
  reloaded: 'Загружено то, что сохранили другие; введённое вами осталось. Проверьте и сохраните',
  day: 'дд.мм.гггг',
  noDay: 'Такого дня нет. Пример: 31.12.2026',
};
