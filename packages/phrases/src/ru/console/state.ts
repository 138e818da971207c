// Texts of the page «Состояние»: what the checks of the server found. The server sends the sentences of the findings.

export const state = {
  title: 'Состояние',
  lead: (version: string) => `«Пропуск» ${version}. Те же проверки в терминале сервера: propusk doctor.`,
  list: 'Проверки сервера',
  again: 'Проверить ещё раз',
  checking: 'Проверяем сервер: это занимает до полминуты',
  failed: 'Не удалось проверить сервер',
  levels: { ok: 'в порядке', warning: 'требует внимания', error: 'не работает', unknown: 'неизвестно' },
};
