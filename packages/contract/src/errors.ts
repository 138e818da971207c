import * as z from 'zod/mini';

/**
 * Every way in which a call can fail: the code that clients branch on, its HTTP status, and the sentence that a
 * person reads. A code that is not here does not compile.
 */
export const errors = {
  bad_input: { status: 400, message: 'Проверьте введённые данные' },
  too_deep: { status: 400, message: 'Слишком много вложенных списков и объектов' },
  bad_json: { status: 400, message: 'Тело запроса не читается как JSON' },
  link_dead: {
    status: 400,
    message: 'Ссылка не действует: она живёт 10 минут и срабатывает один раз. Запросите новую',
  },
  lock_link_dead: {
    status: 400,
    message: 'Ссылка больше не действует: она живёт 7 дней. Попросите того, кто её прислал, прислать новую',
  },
  unauthorized: { status: 401, message: 'Войдите в приложение' },
  bad_login: { status: 401, message: 'Неверная почта или пароль' },
  second_factor_needed: { status: 401, message: 'Введите код из приложения или запасной код' },
  wrong_code: {
    status: 401,
    message:
      'Код не подошёл: он живёт полминуты и срабатывает один раз. Дождитесь следующего и проверьте, что время на телефоне ставится автоматически',
  },
  second_factor_required: {
    status: 403,
    message: 'Ваша компания требует второй фактор. Включите его в консоли, и доступ откроется',
  },
  forbidden: { status: 403, message: 'Недостаточно прав для этого действия' },
  protected_user: { status: 403, message: 'Владельца компании и администратора нельзя удалить отсюда' },
  own_account: { status: 403, message: 'Нельзя удалить самого себя' },
  default_proxy: { status: 403, message: 'Стандартный прокси меняет только администратор платформы' },
  direct_proxy: {
    status: 403,
    message: 'Это сам шлюз: его адрес задаёт настройка GATEWAY_PUBLIC_URL, а удалить его нельзя',
  },
  all_sites_refused: {
    status: 409,
    message: 'Этот прокси не разрешает политику «для всех сайтов»',
  },
  not_found: { status: 404, message: 'Не найдено: возможно, уже удалено' },
  no_such_call: { status: 404, message: 'Такого вызова нет' },
  email_taken: { status: 409, message: 'Пользователь с такой почтой уже есть' },
  site_exists: { status: 409, message: 'Этот сайт уже есть в списке' },
  second_factor_on: { status: 409, message: 'Второй фактор уже включён' },
  second_factor_off: { status: 409, message: 'Второй фактор не включён' },
  second_factor_not_begun: {
    status: 409,
    message: 'Включение второго фактора не начато, или с начала прошёл час. Начните заново',
  },
  own_factor_first: {
    status: 409,
    message: 'Сначала включите второй фактор себе в «Персональных данных», потом требуйте его от компании',
  },
  last_owner: {
    status: 409,
    message: 'Это единственный владелец компании. Сначала сделайте владельцем кого-то ещё',
  },
  company_of_admin: {
    status: 409,
    message: 'В этой компании состоит администратор платформы: вместе с ней он потерял бы доступ',
  },
  proxy_in_use: { status: 409, message: 'Прокси используется в политиках доступа' },
  no_company: { status: 409, message: 'Здесь нужна компания: доступ к сайтам получают только её люди' },
  too_many_objects: { status: 409, message: 'Достигнут предел: не больше 1000 записей одного вида' },
  changed_meanwhile: {
    status: 412,
    message: 'Пока вы правили, запись изменил кто-то другой. Обновите её и повторите правку',
  },
  too_large: { status: 413, message: 'Слишком большой запрос' },
  bad_media_type: { status: 415, message: 'Тело запроса должно быть в формате JSON' },
  idempotency_mismatch: {
    status: 422,
    message: 'Этот Idempotency-Key уже использован для другого запроса',
  },
  too_many_requests: { status: 429, message: 'Слишком много попыток. Подождите и попробуйте снова' },
  internal: { status: 500, message: 'Ошибка на стороне сервера' },
  disk_full: {
    status: 503,
    message:
      'Место на диске закончилось: удалять и отзывать доступ можно, добавлять нельзя. Сообщите администратору сервера',
  },
  busy: { status: 503, message: 'Слишком много запросов сразу. Повторите через несколько секунд' },
  overloaded: { status: 503, message: 'Сервер перегружен. Повторите через несколько секунд' },
  unavailable: { status: 503, message: 'База данных недоступна. Попробуйте через минуту' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** The body of every refusal. `fields` names what is wrong, keyed by the path in the body (`politics.0`). */
export const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
