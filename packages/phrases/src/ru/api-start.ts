/** Reasons why the api does not start, one line each, for the operator. */
export const apiStartFaults = {
  portTaken: (port: string | number, setting: string) =>
    `Порт ${port} занят: освободите его или укажите другой в ${setting}`,
  portRefused: (port: string | number, setting: string) =>
    `Нет права слушать порт ${port}: укажите порт от 1024 в ${setting}${
      setting === 'PORT' ? '' : ' или дайте службе право CAP_NET_BIND_SERVICE'
    }`,
  unknownHost: (host: string) => `У этой машины нет адреса «${host}»: укажите её адрес в HOST`,
  databaseAway: (reason: string) => `База данных не отвечает (${reason}): проверьте DATABASE_URL`,
  databaseRefuses: (reason: string) => `База данных не пускает (${reason}): проверьте DATABASE_URL`,
};

/** Reasons why the api refuses its database at the start. */
export const databaseFaults = {
  wrongKey: () =>
    'Ключ SECRET_KEY не подходит к этой базе данных: верните тот, с которым она создана (файл secret-key в DATA_DIR)',
  newer: () =>
    'База данных создана более новой версией «Пропуска». Запустите её или восстановите копию, сделанную этой версией',
  /** @param migration the file's name @param reason the database's own message */
  migrationFailed: (migration: string | undefined, reason: string | undefined) =>
    `Обновление базы данных (${migration ?? 'без имени'}) не прошло, база осталась прежней: ${reason ?? 'без объяснения'}`,
  oldServer: () => 'Нужен PostgreSQL 15 или новее: укажите другой сервер в DATABASE_URL',
  wrongLocale: () =>
    "База данных не различает заглавные и строчные русские буквы. Создайте её заново: CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0",
};

/** The page that replaces the download of the extension while the extension is not built. */
export const extensionNotBuilt = `<!doctype html>
<html lang="ru"><meta charset="utf-8"><title>Расширение не собрано · Пропуск</title>
<h1>Расширение ещё не собрано</h1>
<p>На сервере «Пропуска» выполните <code>npm run build:extension</code> и повторите загрузку.</p></html>
`;
